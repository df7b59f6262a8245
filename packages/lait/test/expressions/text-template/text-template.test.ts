import { describe, expect, it } from 'vitest';
import { compileTextTemplate } from '../../../src/expressions/text-template/text-template.js';

const render = (template: string, values: Record<string, never> | object = {}) =>
  compileTextTemplate(template).render(values as never);

describe('text template', () => {
  it.each([
    [
      '{% for e in ev %}- {{ e.title }}\n{% endfor %}',
      { ev: [{ title: 'Alpha' }, { title: 'Beta' }] },
      '- Alpha\n- Beta\n',
    ],
    ['{{ a }}{# no #}b\n', { a: 1 }, '1b'],
    [
      '{{ a | urlencode }} {{ {"a": a} | urlencode }}',
      { a: 'x\ud800/🦊' },
      'x%EF%BF%BD/%F0%9F%A6%8A a=x%EF%BF%BD%2F%F0%9F%A6%8A',
    ],
    ['{{ a | striptags }}', { a: 'x<!-- <b> -->y <a\nhref=">z</a> 1 < 2 <!-- w' }, 'xy z 1 < 2 <!-- w'],
    ['{{ ("<" * 100000 ~ ">") | striptags }}{{ ("<!--" * 100000) | striptags | length }}', {}, '400000'],
    ['{%- if x == 1 -%}  one {%- elif x > 1 %}many{% else %}none{% endif %}', { x: 1 }, 'one'],
    ['{% if x == 1 %}one{% elif x > 1 %}many{% else %}none{% endif %}', { x: 3 }, 'many'],
    ['{{ items | map(attribute="n") | join(", ") }}', { items: [{ n: 1 }, { n: 2 }] }, '1, 2'],
    ['{{ [1,2,3][1:] }} {{ {"a": "b"} }} {{ true }} {{ none }}', {}, "[2, 3] {'a': 'b'} True None"],
    ['{{ 7 // 2 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ "a" ~ 1 }}', {}, '3 2 1024 a1'],
    ['{{ name | default("?") }} {{ other is defined }}', {}, '? False'],
    [
      '{% set ns = namespace(total=0) %}{% for n in list %}{% set ns.total = ns.total + n %}{% endfor %}{{ ns.total }}',
      { list: [1, 2, 3] },
      '6',
    ],
    [
      '{% for n in list if n > 1 %}{{ loop.index }}:{{ n }}{% if not loop.last %},{% endif %}{% else %}none{% endfor %}',
      { list: [1, 2, 3] },
      '1:2,2:3',
    ],
    ['{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}', { d: { a: 1, b: 2 } }, 'a=1;b=2;'],
    [
      '{% macro hi(who, mark="!") %}Hi {{ who }}{{ mark }}{% endmacro %}{{ hi("you") }}{{ hi("me", mark="?") }}',
      {},
      'Hi you!Hi me?',
    ],
    ['{% raw %}{{ x }}{% endraw %}', {}, '{{ x }}'],
    ['{{ "日本語🎉" | upper }} {{ "日本語🎉" | length }}', {}, '日本語🎉 4'],
    [
      '{% for 項 in 予定 %}{{ 項.名前 }}{{ 項.été }};{% endfor %}',
      { 予定: [{ 名前: '会議', été: 1 }] },
      '会議1;',
    ],
    ['{{ 2.5 | round }} {{ 3.5 | round }} {{ -0.5 | round }} {{ 0.125 | round(2) }}', {}, '2 4 0 0.12'],
    [
      '{{ 2.45 | round(1) }} {{ 2.675 | round(2) }} {{ 1250 | round(-2) }} {{ 7 | round }}',
      {},
      '2.5 2.67 1200 7',
    ],
    ['[{{ "a" if n > 9 }}{{ ("b" if n > 9) | default("c") }}{{ "d" if n }}]', { n: 1 }, '[cd]'],
    ['{{ "a-b_c (d) it\'s ÉTÉ" | title }}', {}, "A-B_c (D) It's Été"],
    [
      '{% for g in list | groupby("k") %}{{ g.grouper }}:{{ g.list | length }};{% endfor %}',
      { list: [{ k: 'B' }, { k: 'a' }, { k: 'b' }] },
      'a:1;B:2;',
    ],
    [
      '{% for g in list | groupby("k", case_sensitive=true) %}{{ g.grouper }}{% endfor %}',
      { list: [{ k: 'b' }, { k: 'B' }] },
      'Bb',
    ],
    ['{{ "a b c" | title }} {{ "%s-%03d" | format("x", 7) }}', {}, 'A B C x-007'],
    [
      '{{ list | sort(attribute="n", reverse=true) | map(attribute="n") | list }}',
      { list: [{ n: 1 }, { n: 3 }, { n: 2 }] },
      '[3, 2, 1]',
    ],
    ['{{ "yes" if flag else "no" }}{{ "x" if flag }}', { flag: true }, 'yesx'],
    ['{{ value | tojson }}', { value: { a: [1, null, 'ä'] } }, '{"a":[1,null,"ä"]}'],
    ['{% filter upper %}abc{% endfilter %}{% with y = 2 %}{{ y }}{% endwith %}', {}, 'ABC2'],
    ['{{ text | replace("a", "b") }} {{ text[::-1] }}', { text: 'aba' }, 'bbb aba'],
    [
      '{{ list | selectattr("ok") | map(attribute="n") | join("") }}',
      {
        list: [
          { n: 1, ok: true },
          { n: 2, ok: false },
        ],
      },
      '1',
    ],
    ['{% set x = 1 %}{{ x }}{% set y %}block{% endset %}{{ y }}', {}, '1block'],
    [
      '{{ x }} {{ x is none }} {{ x | default("d") }} {{ x | default("d", true) }}',
      { x: null },
      'None True None d',
    ],
    [
      '{{ list[0] }} {{ list | first }} {{ list | last }} {{ d.x }}',
      { list: [null], d: { x: null } },
      'None None None None',
    ],
    ['{% macro m(a=1) %}{{ a }}{% endmacro %}{{ m(x) }}{{ m(a=x) }}{{ m() }}', { x: null }, 'NoneNone1'],
    [
      '{% set ns = namespace(a=none) %}{{ ns.a }}{{ "text" | default(x) }}{{ y | default(x) }}',
      { x: null },
      'NonetextNone',
    ],
    [
      '{% for g in list | groupby("k") %}{{ g.grouper }}:{{ g.list | length }};{% endfor %}',
      { list: [{ k: 'b' }, { k: 'a' }, { k: 'b' }] },
      'a:1;b:2;',
    ],
    ['{% for n in [1, 1, 2] %}{{ loop.changed(n) }};{% endfor %}', {}, 'True;False;True;'],
    ['{% set c = cycler("a", "b") %}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.next() }}', {}, 'abba'],
    ['{{ "%(b)s-%(a)03d" % {"a": 7, "b": x} }}', { x: null }, 'None-007'],
    ['{% set j = joiner("; ") %}{{ j() }}a{{ j() }}b{{ j() }}c', {}, 'a; b; c'],
    [
      '{{ [0] * 3 }} {{ "upper" is filter }} {{ "odd" is test }} {{ "no" is filter }}',
      {},
      '[0, 0, 0] True True False',
    ],
    [
      '{{ 1 | filesizeformat }}, {{ 1500000 | filesizeformat }}, {{ 2048 | filesizeformat(true) }}',
      {},
      '1 Byte, 1.5 MB, 2.0 KiB',
    ],
    ['{{ {"q": "a b", "n": 1} | urlencode }} {{ "a\n" | pprint }}', {}, "q=a+b&n=1 'a\\n'"],
    ['<p{{ {"class": c, "id": none} | xmlattr }}>', { c: '"x"' }, '<p class="&#34;x&#34;">'],
    [
      '{{ "a" in list and not "b" in list }} {{ "b" not in list }} {{ 1 < 2 < 3 }}',
      { list: ['a'] },
      'True True True',
    ],
    [
      '{{ list | groupby("k") | map("first") | join(",") }}',
      { list: [{ k: 'b' }, { k: 'a' }, { k: 'b' }] },
      'a,b',
    ],
    ['{{ d.get("x", 5) }} {{ d["a"] }} {{ "a-b".split("-") | last }}', { d: { a: 1 } }, '5 1 b'],
  ])('renders %j', (template, values, expected) => {
    expect(render(template, values)).toBe(expected);
  });

  it.each([
    ['{{ x', /never closed/],
    ['{% if a %}', /'if' is never closed by 'endif'/],
    ['{% include "x" %}', /not supported/],
    ['{{ a | nope }}', /unknown filter 'nope'/],
    ['{{ a is nope }}', /unknown test 'nope'/],
    ['{{ a b }}', /unexpected 'b'/],
    ['{% endfor %}', /unknown statement 'endfor'/],
    ['x'.repeat(16_385), /16384/],
    [`{{ ${'('.repeat(200)}1${')'.repeat(200)} }}`, /nested too deeply/],
  ])('refuses %j', (template, problem) => {
    expect(() => compileTextTemplate(template)).toThrow(problem);
  });

  it.each([
    ['{{ missing }}', {}, /'missing' is undefined/],
    ['{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}', {}, /'m' takes 1 values at most/],
    ['{% macro m(a=1) %}{{ a }}{% endmacro %}{{ m(b=2) }}', {}, /'m' takes no 'b'/],
    ['{{ "%(b)s" % {"a": 7} }}', {}, /'b' is undefined/],
    ['{% if missing %}{% endif %}', {}, /'missing' is undefined/],
    ['{{ d.x }}', { d: {} }, /'x' is undefined/],
    ['{{ "a" + 1 }}', {}, /cannot use '\+'/],
    ['{{ range(1000000) }}', {}, /100000/],
    // Small in memory, without end for whatever goes through it.
    ...[
      'ns.x | tojson',
      'ns.x == [ns.x]',
      '[ns.x] | groupby(0)',
      '[ns.x, ns.x] | unique',
      'ns.x in [[1]]',
    ].map((use): [string, object, RegExp] => [
      `{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ${use} }}`,
      {},
      /grew beyond what a template may build/,
    ]),
    [
      '{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}',
      {},
      /too much work/,
    ],
    [
      '{% set ns = namespace(x=[]) %}{% for i in range(5000) %}{% set ns.x = [ns.x] %}{% endfor %}',
      {},
      /nested more than 1000 levels deep/,
    ],
    ...[
      'big[1]',
      'big[1:]',
      "big.find('y')",
      "big.split('a') | length",
      'big == bug',
      'big | upper | length',
    ].map((use): [string, object, RegExp] => [
      `{% set big = 'a' * 1000000 %}{% set bug = 'a' * 1000000 %}{% for i in range(100000) %}{% set x = ${use} %}{% endfor %}`,
      {},
      /too much work/,
    ]),
    ["{{ (['a'] * 10000) | join('x' * 1000000) }}", {}, /beyond 1 MiB/],
    ["{{ ('a' * 500000) | replace('a', 'b' * 10000) }}", {}, /beyond 1 MiB/],
    ["{{ ('\n' * 1000000) | indent(1000, blank=true) }}", {}, /beyond 1 MiB/],
    ['{{ ([[1]] * 100000) | tojson(indent=1000000) }}', {}, /beyond 1 MiB/],
    ['{% for a in range(10000) %}{% for b in range(10000) %}{% endfor %}{% endfor %}', {}, /too much work/],
    ['{{ "x" * 999999999 }}', {}, /1 MiB/],
    ['{% for a in range(70000) %}x{% endfor %}', {}, /65536 bytes/],
    ['{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', {}, /too deeply/],
    ['{{ 1 / 0 }}', {}, /division by zero/],
  ])('fails on %j', (template, values, problem) => {
    expect(() => render(template, values)).toThrow(problem);
  });

  it.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', '__class__'])(
    'reaches nothing of JavaScript through %s',
    (name) => {
      for (const source of [
        `{{ o.${name} }}`,
        `{{ o["${name}"] }}`,
        `{{ "".${name} }}`,
        `{{ [].${name} }}`,
        `{{ range.${name} }}`,
      ]) {
        expect(() => render(source, { o: { a: 1 } })).toThrow(/undefined/);
      }
    },
  );

  it('lists what it takes from outside', () => {
    const source =
      '{% set a = 1 %}{% for x in list %}{{ x }}{{ a }}{{ other }}{% endfor %}{{ maybe is defined }}';
    expect(compileTextTemplate(source).variables).toEqual(['list', 'other', 'maybe']);
    expect(
      compileTextTemplate('{{ loop.index }}{% for x in [] %}{{ loop.index }}{% endfor %}').variables,
    ).toEqual(['loop']);
  });

  it('names the line of a failure', () => {
    expect(() => render('a\nb\n{{ nope }}')).toThrow(expect.objectContaining({ line: 3 }));
  });
});
