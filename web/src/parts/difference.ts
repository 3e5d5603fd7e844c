export interface Changed {
  sign: ' ' | '+' | '-';
  text: string;
}

const linesMax = 400; // the time it takes grows with the square

/** Line by line; long texts are compared as a whole. */
export function difference(before: string, after: string): Changed[] {
  const a = before.split('\n');
  const b = after.split('\n');
  if (a.length > linesMax || b.length > linesMax)
    return before === after ? [] : [{ sign: '+', text: `${b.length} lines instead of ${a.length}` }];
  // common[i][j]: how many lines a from i and b from j have in common, in order
  const common = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: Changed[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i]! });
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push({ sign: '-', text: a[i]! });
      i += 1;
    } else {
      lines.push({ sign: '+', text: b[j]! });
      j += 1;
    }
  }
  return lines;
}
