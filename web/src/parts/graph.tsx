import { visible, words } from '../core/text';
import { kindOf } from './state';

export interface GraphStep {
  name: string;
  after: string[];
  state: string; // decides the colour
  detail: string; // the second line
}

interface Placed extends GraphStep {
  column: number;
  row: number;
}

const box = { width: 148, height: 50 };
const gap = { x: 44, y: 18 };
const margin = 6;
const nameMax = 17;

/** The steps from left to right: what is in one column can run side by side. */
export function Graph({ title, steps }: { title: string; steps: GraphStep[] }) {
  const placed = place(steps);
  const rows = Math.max(1, ...placed.map(p => p.row + 1));
  const columns = Math.max(1, ...placed.map(p => p.column + 1));
  const width = columns * box.width + (columns - 1) * gap.x + 2 * margin;
  const height = rows * box.height + (rows - 1) * gap.y + 2 * margin;
  const said = steps
    .map(s => `${s.name}${s.after.length > 0 ? ` after ${s.after.join(' and ')}` : ''}: ${words(s.state)}`)
    .join('; ');
  return (
    <div class="graph" role="group" aria-label={title} tabIndex={0}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}. ${said}`}>
        {placed.flatMap(p => p.after.map(name => <Edge key={`${name}>${p.name}`} from={find(placed, name)} to={p} />))}
        {placed.map(p => (
          <g key={p.name} class={`node ${kindOf(p.state)}`} transform={`translate(${left(p)} ${top(p, rows)})`}>
            <title>{`${p.name}: ${words(p.state)}`}</title>
            <rect width={box.width} height={box.height} rx="7" />
            <text x="12" y="21" class="name">
              {cut(visible(p.name))}
            </text>
            <text x="12" y="39" class="detail">
              {cut(visible(p.detail), nameMax + 5)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );

  function Edge({ from, to }: { from: Placed | undefined; to: Placed }) {
    if (!from) return null;
    const x1 = left(from) + box.width;
    const y1 = top(from, rows) + box.height / 2;
    const x2 = left(to);
    const y2 = top(to, rows) + box.height / 2;
    const bend = Math.max(22, (x2 - x1) / 2);
    return <path class="edge" d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} />;
  }

  function left(p: Placed): number {
    return margin + p.column * (box.width + gap.x);
  }

  /** Columns with fewer steps are centred. */
  function top(p: Placed, all: number): number {
    const own = placed.filter(q => q.column === p.column).length;
    return margin + (p.row + (all - own) / 2) * (box.height + gap.y);
  }
}

function find(placed: Placed[], name: string): Placed | undefined {
  return placed.find(p => p.name === name);
}

function cut(text: string, length = nameMax): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** A step's column is the length of the longest way to it. A definition has its steps in an order that fits `after`. */
function place(steps: GraphStep[]): Placed[] {
  const placed: Placed[] = [];
  const used = new Map<number, number>();
  for (const s of steps) {
    const column = Math.max(0, ...s.after.map(name => (find(placed, name)?.column ?? -1) + 1));
    const row = used.get(column) ?? 0;
    used.set(column, row + 1);
    placed.push({ ...s, column, row });
  }
  return placed;
}
