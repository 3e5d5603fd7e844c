import { span } from '../core/text';

export interface Line {
  name: string;
  tone: string; // a class of the style sheet
  values: (number | null)[]; // the oldest first
}

const width = 300;
const height = 72;

/** Lines over the last minutes, on one scale from zero. */
export function Chart({ title, lines, unit }: { title: string; lines: Line[]; unit: 's' | 'ms' }) {
  const all = lines.flatMap(l => l.values).filter(v => v !== null);
  const top = niceTop(Math.max(0, ...all));
  const written = (v: number | null | undefined) =>
    v === null || v === undefined
      ? '-'
      : unit === 'ms'
        ? span(v)
        : v >= 100
          ? `${Math.round(v)}/s`
          : `${v.toFixed(1)}/s`;
  const now = lines.map(l => `${l.name} ${written(l.values.at(-1))}`).join(', ');
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <span class="legend">
          {lines.map(l => (
            <span key={l.name}>
              <i class={`swatch ${l.tone}`} />
              {l.name} <b>{written(l.values.at(-1))}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div class="plot">
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${now}`}>
          <line class="grid" x1="0" x2={width} y1={height / 2} y2={height / 2} />
          <line class="grid" x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
          {lines.map(l => (
            <path key={l.name} class={`line ${l.tone}`} d={pathOf(l.values, top)} />
          ))}
        </svg>
        <span class="scale">{written(top)}</span>
      </div>
    </figure>
  );
}

function niceTop(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return [1, 2, 5, 10].map(f => f * power).find(t => t >= highest) ?? highest;
}

function pathOf(values: (number | null)[], top: number): string {
  const step = width / Math.max(1, values.length - 1);
  let path = '';
  let isDown = false;
  values.forEach((v, i) => {
    if (v === null) {
      isDown = false;
      return;
    }
    path += `${isDown ? 'L' : 'M'}${(i * step).toFixed(1)} ${(height - 2 - (v / top) * (height - 6)).toFixed(1)}`;
    isDown = true;
  });
  return path;
}
