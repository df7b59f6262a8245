import { instance } from '@viz-js/viz';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Expression } from '../../src/expressions/expression.js';
import { toDot } from '../../src/plan/draw/dot.js';
import { drawPlan } from '../../src/plan/draw/draw-plan.js';
import { escapeMermaid, toMermaid } from '../../src/plan/draw/mermaid.js';
import type { PictureGroup, PictureNode } from '../../src/plan/draw/picture.js';
import { toSvg } from '../../src/plan/draw/svg.js';
import type { Block, Plan } from '../../src/plan/plan.js';
import { block, compute, jq, plan, type Step, testKinds } from '../support/plans.js';

let graphviz: Awaited<ReturnType<typeof instance>>;
beforeAll(async () => {
  graphviz = await instance();
});

const written = (source: string): Expression => ({ ...compute(() => null), source });
const draw = (what: Plan) => drawPlan(what, { kinds: testKinds });
const step = (id: string, rest: Partial<Step> = {}) => jq(() => null, { id, ...rest });

function nodesOf(group: PictureGroup): PictureNode[] {
  return [...group.nodes, ...group.groups.flatMap(nodesOf)];
}

function titlesOf(group: PictureGroup): string[] {
  return group.groups.flatMap((inner) => [inner.title, ...titlesOf(inner)]);
}

/** The picture as `from -> to` between the first lines of the nodes. */
function arrows(what: Plan): string[] {
  const picture = draw(what);
  const names = new Map(nodesOf(picture.root).map(({ id, lines }) => [id, lines[0] ?? 'junction']));
  return picture.edges.map(({ from, to, style, label }) => {
    const how = style === 'normal' ? '->' : `-${style}->`;
    return `${names.get(from)} ${how} ${names.get(to)}${label === undefined ? '' : ` [${label}]`}`;
  });
}

describe('drawing a plan', () => {
  it('connects steps from start to end', () => {
    expect(arrows(plan([step('a'), step('b')]))).toEqual(['start -> a', 'a -> b', 'b -> end']);
  });

  it('labels the arrows of cases with their conditions and joins nothing', () => {
    const cases = {
      switch: [{ when: written('.x == "high"'), steps: block('steps[0].switch[0].steps', [step('alarm')]) }],
      else: block('steps[0].else', [step('calm')]),
    };
    expect(arrows(plan([{ kind: 'switch', id: 'route', fields: cases }, step('last')]))).toEqual([
      'start -> route',
      'route -> alarm [case 1: .x == "high"]',
      'route -> calm [else]',
      'alarm -> last',
      'calm -> last',
      'last -> end',
    ]);
  });

  it('frames branches and brings them together in a join', () => {
    const what = plan([
      {
        kind: 'parallel',
        id: 'fan',
        fields: { parallel: { left: block('l', [step('a')]), right: block('r', [step('b')]) } },
      },
    ]);
    expect(titlesOf(draw(what).root)).toEqual(['left', 'right']);
    expect(arrows(what)).toEqual([
      'start -> fan',
      'fan -> a',
      'fan -> b',
      'a -> join',
      'b -> join',
      'join -> end',
    ]);
  });

  it('leads the end of a loop body back to the loop', () => {
    const fields = { while: written('. < 3'), max_iterations: 5, steps: block('s', [step('lap')]) };
    const what = plan([{ kind: 'while', id: 'again', fields }]);
    expect(arrows(what)).toEqual(['start -> again', 'again -> lap', 'lap -back-> again', 'again -> end']);
    expect(nodesOf(draw(what).root).find(({ lines }) => lines[0] === 'again')).toMatchObject({
      shape: 'control',
      lines: ['again', 'while: . < 3'],
    });
  });

  it('draws handlers, passed steps and ends', () => {
    const what = plan([
      step('risky', { onError: [step('rescue')] }),
      { kind: 'stop', label: 'step-2 (stop)', when: written('. == 0') },
      step('last'),
    ]);
    expect(titlesOf(draw(what).root)).toEqual(['on_error of risky']);
    expect(arrows(what)).toEqual([
      'start -> risky',
      'risky -error-> rescue [on_error]',
      'risky -> step-2 (stop)',
      'rescue -> step-2 (stop)',
      'risky -skip-> last [skipped]',
      'rescue -skip-> last [skipped]',
      'last -> end',
    ]);
  });

  it('draws graphs with their edges, conditions and failures', () => {
    const nodes = block('graph', [step('a'), step('b'), { kind: 'stop', id: 'done' }]).nodes;
    const body: Block = {
      path: 'graph',
      nodes,
      entry: 0,
      edges: [
        [
          { kind: 'normal', target: 1, condition: written('ok') as Expression<boolean> },
          { kind: 'error', target: 2 },
        ],
        [
          { kind: 'normal', target: 0 },
          { kind: 'normal', target: 2 },
        ],
        [],
      ],
    };
    expect(arrows({ ...plan([]), body })).toEqual([
      'start -> a',
      'a -> b [ok]',
      'a -error-> done [error]',
      'b -> a',
      'b -> done',
    ]);
  });

  it('draws child workflows as boxes, and inside when they are given', () => {
    const what = plan([{ kind: 'workflow', id: 'call', fields: { workflow: './child.yml' } }]);
    expect(arrows(what)).toEqual(['start -> call', 'call -> end']);
    const child = plan([step('inner')], { id: 'child.yml' });
    const expanded = drawPlan(what, { kinds: testKinds, children: new Map([[what.body.nodes[0]!, child]]) });
    expect(titlesOf(expanded.root)).toEqual(['child.yml']);
    expect(toMermaid(expanded)).toContain('inner');
  });

  it('stays linear in size however many conditional steps follow each other', () => {
    const many = (count: number) =>
      draw(plan(Array.from({ length: count }, (_, index) => step(`s${index}`, { when: written('.') })))).edges
        .length;
    expect(many(400)).toBeLessThan(2.2 * many(200));
  });
});

describe('[draw.any-text] labels', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom(
      'end',
      '-->',
      '"quoted"',
      "it's",
      '\\',
      '\\"',
      'a\\nb',
      '日本語の手順 🍣',
      'x\ny\r\nz',
      '<b>bold</b>',
      '&lt;&#35;&amp;',
      '[a](b){c}|d|',
      ']];',
      '%%{init: {}}%%',
      '`code`',
      '\u0000\u001b[31m',
      '\ud800',
      'subgraph x',
    ),
  );
  const pictureOf = (label: string) => {
    const fields = { while: written(label), max_iterations: 2, steps: block('s', [step(label)]) };
    const cases = {
      switch: [{ when: written(label), steps: block('c', [step('b')]) }],
      else: block('e', [step(label, { onError: [step(label)] })]),
    };
    return draw(
      plan([
        { kind: 'while', label, fields },
        { kind: 'switch', label, fields: cases, when: written(label) },
      ]),
    );
  };

  it('any text gives DOT that Graphviz reads and shows as it was written', () => {
    fc.assert(
      fc.property(text, (label) => {
        const dot = toDot(pictureOf(label));
        const result = graphviz.render(dot, { format: 'json' });
        // Graphviz warns of characters whose width it has to guess.
        expect(result.errors.filter(({ level }) => level !== 'warning')).toEqual([]);
        expect(result.status).toBe('success');
      }),
      { numRuns: 150 },
    );
  });

  it('a label in a drawing is the text of its author', () => {
    const label = 'say "hi" \\n C:\\new & &amp; <b> #1; 日本 🍣';
    const dot = toDot(draw(plan([step(label)])));
    const svg = graphviz.renderString(dot, { format: 'svg' });
    const shown = svg
      .replaceAll('&quot;', '"')
      .replaceAll('&#160;', ' ')
      .replaceAll('&#45;', '-')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    expect(shown).toContain(label);
  });

  it('any text gives Mermaid whose lines are closed statements', () => {
    const quoted = '"[^"\\n\\\\`]+"';
    const statement = new RegExp(
      `^\\s*(flowchart TD|end|subgraph g\\d+\\[${quoted}\\]|n\\d+(\\[\\[?|\\{|\\(\\[|\\(\\()${quoted}(\\]\\]?|\\}|\\]\\)|\\)\\))|n\\d+ (-->|-\\.->)(\\|${quoted}\\|)? n\\d+)$`,
    );
    fc.assert(
      fc.property(text, (label) => {
        for (const line of toMermaid(pictureOf(label)).trimEnd().split('\n')) expect(line).toMatch(statement);
      }),
    );
  });

  it('Mermaid labels stay readable where they can', () => {
    expect(escapeMermaid('. < 3 & .a == "b"')).toBe(". < 3 & .a == 'b'");
    expect(escapeMermaid('<b>&lt; #1 %%{x}%%')).toBe('#lt;b>#amp;lt; #35;1 #37;#37;{x}#37;%');
  });
});

describe('svg', () => {
  it('is drawn without any program', async () => {
    const svg = await toSvg(draw(plan([step('要約')])));
    expect(svg).toContain('<svg');
    expect(svg).toContain('要約');
  });
});
