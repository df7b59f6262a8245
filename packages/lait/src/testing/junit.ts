export interface JunitSuite {
  file: string;
  name: string;
  seconds: number;
  cases: readonly { name: string; failure?: string | undefined }[];
}

/** A JUnit XML report, as continuous integration servers read it. */
export function junitReport(suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  const head = `<testsuites name="lait" tests="${all.length}" failures="${failuresIn(all)}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...suites.map(suiteXml), '</testsuites>', ''].join(
    '\n',
  );
}

function suiteXml({ file, name, seconds, cases }: JunitSuite): string {
  const attributes = `name="${escaped(name)}" tests="${cases.length}" failures="${failuresIn(cases)}" time="${seconds.toFixed(3)}"`;
  const lines = cases.map(({ name: title, failure }) => {
    const start = `    <testcase name="${escaped(title)}" classname="${escaped(file)}"`;
    if (failure === undefined) return `${start}/>`;
    const first = failure.split('\n', 1)[0]!;
    return `${start}>\n      <failure message="${escaped(first)}">${escaped(failure)}</failure>\n    </testcase>`;
  });
  return [`  <testsuite ${attributes}>`, ...lines, '  </testsuite>'].join('\n');
}

function failuresIn(cases: JunitSuite['cases']): number {
  return cases.filter(({ failure }) => failure !== undefined).length;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 has no place for most control characters and lone surrogates, not even escaped: U+FFFD stands for them. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character]!);
}
