import type { Diagnostic } from './diagnostic.js';
import { type DiagnosticCode, diagnosticCodes } from './diagnostic-codes.js';
import { sentence } from './format-diagnostics.js';
import type { SourcePosition } from './source.js';

/** `lint --format sarif`: a SARIF 2.1.0 log with one run. Columns count Unicode characters. */
export function formatDiagnosticsSarif(
  files: readonly { file: string; diagnostics: readonly Diagnostic[] }[],
  version: string,
) {
  const codes = [...new Set(files.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'lait', version, rules: codes.map(rule) } },
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

function rule(code: string) {
  const known = Object.hasOwn(diagnosticCodes, code) ? diagnosticCodes[code as DiagnosticCode] : undefined;
  return {
    id: code,
    ...(known !== undefined && {
      shortDescription: { text: known.title },
      fullDescription: { text: known.explanation },
      help: { text: `${known.explanation}\n\n${known.example}` },
    }),
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
