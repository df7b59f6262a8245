import type { Diagnostic } from './diagnostic.js';
import type { DiagnosticExplanation } from './diagnostic-codes.js';
import { sentence } from './format-diagnostics.js';
import type { SourcePosition } from './source.js';

/** What codes mean. */
type Explanations = Readonly<Record<string, DiagnosticExplanation>>;

/** `lint --format sarif`: a SARIF 2.1.0 log with one run. Columns count Unicode characters. */
export function formatDiagnosticsSarif(
  files: readonly { file: string; diagnostics: readonly Diagnostic[] }[],
  version: string,
  explanations: Explanations,
) {
  const codes = [...new Set(files.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'lait', version, rules: codes.map((code) => rule(code, explanations)) } },
        columnKind: 'unicodeCodePoints',
        results: files.flatMap(({ file, diagnostics }) =>
          diagnostics.map((diagnostic) => ({
            ruleId: diagnostic.code,
            ruleIndex: codes.indexOf(diagnostic.code),
            level: diagnostic.severity,
            message: {
              text:
                diagnostic.hint === undefined
                  ? sentence(diagnostic)
                  : `${sentence(diagnostic)} (${diagnostic.hint})`,
            },
            locations: [location(file, diagnostic)],
          })),
        ),
      },
    ],
  };
}

function rule(code: string, explanations: Explanations) {
  if (!Object.hasOwn(explanations, code)) return { id: code };
  const { title, explanation = title, example } = explanations[code]!;
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: explanation },
    help: { text: example === undefined ? explanation : `${explanation}\n\n${example}` },
  };
}

function location(file: string, { position, path }: Diagnostic) {
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeURI((position?.file ?? file).replaceAll('\\', '/')) },
      ...(position !== undefined && { region: region(position) }),
    },
    ...(path !== undefined && { logicalLocations: [{ fullyQualifiedName: path }] }),
  };
}

function region({ line, column }: SourcePosition) {
  return { startLine: line, startColumn: column };
}
