export interface DiffLine {
  op: 'same' | 'added' | 'removed';
  text: string;
}

/** What differs between two texts, line by line. */
export async function diffLines(before: string, after: string): Promise<DiffLine[]> {
  const diff = await import('diff');
  // Two large texts without anything in common would take long: then all of it is another one.
  const changes = diff.diffLines(before, after, { timeout: 1000 }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return changes.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => ({ op: added ? 'added' : removed ? 'removed' : 'same', text })),
  );
}
