/** The known name closest to a mistyped one, when it is close enough to be meant. */
export function closest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean 'x'?`, or undefined. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const found = closest(name, known);
  return found === undefined ? undefined : `did you mean '${found}'?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforePrevious[j - 2]! + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
