import { type DiagnosticExplanation, diagnosticCodes } from '../plan/diagnostic-codes.js';
import { issueCodes, problemCodes, warningCodes } from './dynamic/issue-codes.js';
import { graphIssueCodes } from './graph/issue-codes.js';

const titles: Readonly<Record<string, string>> = {
  ...issueCodes,
  ...problemCodes,
  ...warningCodes,
  ...graphIssueCodes,
};

/**
 * What every code means that a problem of a definition of any form, of an agent file or of the configuration can have.
 */
export const explanations: Readonly<Record<string, DiagnosticExplanation>> = {
  ...Object.fromEntries(Object.entries(titles).map(([code, title]) => [code, { title }])),
  ...diagnosticCodes,
};
