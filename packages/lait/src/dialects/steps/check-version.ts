import type { Problems } from '../../plan/problems.js';
import { describe, type MapNode } from '../../plan/yaml/source-node.js';

/**
 * Version 1 files are refused as a whole, with the way to version 2: checking them against version 2 would only bury
 * that. Other versions are unknown. Source: steps seed, バージョン 1 からの移行; facts §6.
 */
export function checkVersion(root: MapNode, problems: Problems): boolean {
  const version = root.entries.get('version');
  const nodes = root.entries.get('nodes');
  const isOne = version?.value.type === 'scalar' && version.value.value === 1;
  if (nodes !== undefined || isOne) {
    problems.add({
      code: 'version_1',
      message: `this is a version 1 workflow file (${isOne ? '`version: 1`' : '`nodes:`'}): migrate it to version 2, where each step says itself what it does`,
      hint: '`lait migrate FILE` rewrites it, and lists what a person must decide',
      range: isOne ? version.value.range : nodes?.keyRange,
    });
    return false;
  }
  if (version === undefined || (version.value.type === 'scalar' && version.value.value === 2)) return true;
  const written = version.value.type === 'scalar' ? version.value.written : describe(version.value);
  problems.add({
    code: 'unsupported_version',
    message: `version ${written || 'without a value'} is unsupported: the only version is 2`,
    hint: 'write `version: 2`, or leave it out',
    range: version.value.range ?? version.keyRange,
  });
  return false;
}
