/** What kind of file a text is, by the keys in its first column; undefined for anything else, e.g. a workflow. */
export function testKindOf(text: string): 'test' | 'eval' | undefined {
  const keys = new Set([...text.matchAll(/^(["']?)([a-z_]+)\1[ \t]*:/gm)].map((match) => match[2]!));
  if (keys.has('steps')) return undefined;
  if (keys.has('target') && keys.has('cases')) return 'eval';
  return keys.has('workflow') && (keys.has('replay') || keys.has('assert')) ? 'test' : undefined;
}
