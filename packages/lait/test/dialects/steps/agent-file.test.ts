import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAgent, readAgentFile } from '../../../src/dialects/steps/read-agent-file.js';
import { scopeOf } from '../../expressions/scope.js';
import { line } from './load.js';

function problems(text: string): string[] {
  return loadAgent({ file: 'agents/a.md', text }).diagnostics.map(line);
}

describe('an agent file', () => {
  it('is frontmatter and the system prompt [steps.agent-files]', () => {
    const text = [
      '---',
      'name: reviewer',
      'description: コードを見る',
      'model: cloud',
      'temperature: 0.2',
      'tools: [ripgrep]',
      'max_tool_rounds: 3',
      'output_schema: { file: near.json }',
      'schema_name: review',
      'files: ["{{ input.path }}"]',
      '---',
      'Review this:',
      '{{ input.diff }}',
      '',
      '',
    ].join('\r\n');
    const { agent, diagnostics } = loadAgent({ file: '/x/agents/a.md', text });
    expect(diagnostics).toEqual([]);
    expect(agent).toMatchObject({
      name: 'reviewer',
      description: 'コードを見る',
      model: 'cloud',
      temperature: 0.2,
      tools: ['ripgrep'],
      max_tool_rounds: 3,
      outputSchema: { file: '/x/agents/near.json' },
      schemaName: 'review',
      source: { file: '/x/agents/a.md', text },
    });
    expect(agent?.system.evaluate(scopeOf({ value: { diff: '+1' } }))).toBe('Review this:\n+1');
    expect(agent?.files?.[0]?.source).toBe('{{ input.path }}');
  });

  it('needs no fields', () => {
    for (const text of ['---\n---\nhello', '---\n\n# nothing\n---\nhello\n']) {
      const { agent, diagnostics } = loadAgent({ file: 'a.md', text });
      expect(diagnostics).toEqual([]);
      expect(agent?.system.source).toBe('hello');
    }
  });

  it('may use --- in its body', () => {
    expect(loadAgent({ file: 'a.md', text: '---\nname: a\n---\none\n---\ntwo' }).agent?.system.source).toBe(
      'one\n---\ntwo',
    );
  });

  it.each([
    ['just text', '1:1 agent_without_frontmatter'],
    ['', '1:1 agent_without_frontmatter'],
    ['---\nname: a\nno end', '1:1 agent_without_frontmatter'],
    ['---\nmodle: a\n---\nx', "2:1 unknown_field: 'modle' is not a field of an agent file"],
    ['---\nsystem: a\n---\nx', "2:1 unknown_field: 'system' is not a field of an agent file"],
    ['---\ntemperature: 3\n---\nx', '2:14 out_of_range: temperature must be from 0 to 2'],
    ['---\noutput_schema: city\n---\nx', "2:16 unknown_schema: output_schema: there is no schema 'city'"],
    ['---\nschema_name: x\n---\nx', "2:1 requires_field: 'schema_name' needs 'output_schema'"],
    ['---\n- a\n---\nx', '2:1 wrong_type'],
    ['---\na: "x\n---\nx', '3:1 yaml_syntax'],
    ['---\nname: a\nname: b\n---\nx', "3:1 duplicate_key: the key 'name' is already given in line 2"],
    ['---\nname: a\n---\n日本 {{ input', "4:4 template_syntax: system prompt: '{{' is never closed"],
    ['---\nname: a\n---\n \n', '3:1 missing_field: an agent file needs a system prompt'],
  ])('%j is refused', (text, expected) => {
    expect(problems(text)[0]?.slice(0, expected.length)).toBe(expected);
  });

  it('reports problems of the fields and of the body together', () => {
    expect(problems('---\nmodle: a\ntop_p: 2\n---\n{{ x').map((problem) => problem.split(' ')[1])).toEqual([
      'unknown_field:',
      'out_of_range:',
      'template_syntax:',
    ]);
  });

  it('is read from the disk', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'lait-agent-'));
    try {
      const file = path.join(directory, 'a.md');
      await writeFile(file, '---\nname: a\n---\nhi');
      expect(await readAgentFile(file)).toMatchObject({ name: 'a', source: { file } });
      await writeFile(file, 'no frontmatter');
      await expect(readAgentFile(file)).rejects.toMatchObject({
        code: 'definition_invalid',
        category: 'definition',
      });
      await expect(readAgentFile(path.join(directory, 'none.md'))).rejects.toMatchObject({
        code: 'file_not_found',
        category: 'definition',
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
