/** Median, least, and the half of the values around the median, as a share of it: `spread` 0.1 is ±5 %. */
export function summarize(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share) => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
  };
  const median = at(0.5);
  return { median, least: sorted[0], spread: median === 0 ? 0 : (at(0.75) - at(0.25)) / median };
}
