export { defaultGraphLimits } from './check-graph.js';
export type { GraphCheckOptions } from './graph-check.js';
export { checkGraphDefinition, type GraphPlanOptions, type GraphReport, graphPlan } from './graph-plan.js';
export type { GraphIssue } from './issue.js';
export { type GraphIssueCode, graphIssueCodes } from './issue-codes.js';
