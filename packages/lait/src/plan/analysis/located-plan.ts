import type { Expression, Reference } from '../../expressions/expression.js';
import type { SchemaSource } from '../../schema/schema-source.js';
import type { Diagnostic, Severity } from '../diagnostic.js';
import type { DiagnosticCode } from '../diagnostic-codes.js';
import type { Plan, PlanNode } from '../plan.js';
import type { SourcePosition } from '../source.js';

/** A place in a definition: the way from its top to a value. */
export type DefinitionPath = readonly (string | number)[];

/** A schema that a definition names: in a step, or from the top without one. */
export interface PlacedSchema {
  schema: SchemaSource;
  node?: PlanNode;
  at: DefinitionPath;
}

/** A plan with the places of its parts, as far as the reader of its form knows them. */
export interface LocatedPlan {
  plan: Plan;
  /** The file has errors, and the plan only those steps that could be read. */
  partial?: boolean;
  /** Schemas that the file declares and no part of the plan uses. */
  unusedSchemas?: readonly PlacedSchema[];
  /** Where an expression stands, or a reference inside it. */
  expressionPosition?(expression: Expression, reference?: Reference): SourcePosition | undefined;
  /**
   * Where the value at a path stands, from the step or from the top without one; the nearest value around it when it
   * has no place of its own.
   */
  position?(path: DefinitionPath, node?: PlanNode): SourcePosition | undefined;
}

export interface Finding {
  code: DiagnosticCode;
  /** Default `warning`. */
  severity?: Severity;
  message: string;
  hint?: string;
  node?: PlanNode;
  expression?: Expression;
  reference?: Reference;
  /** The place, when it is no expression: from the node, or from the top without one. */
  at?: DefinitionPath;
}

/** Collects what the checks find, each with its place. */
export class Findings {
  readonly diagnostics: Diagnostic[] = [];

  constructor(readonly located: LocatedPlan) {}

  add({ code, severity = 'warning', message, hint, node, expression, reference, at = [] }: Finding): void {
    const position =
      (expression && this.located.expressionPosition?.(expression, reference)) ??
      this.located.position?.(at, node) ??
      node?.position;
    this.diagnostics.push({
      code,
      severity,
      message,
      ...(position === undefined ? {} : { position }),
      ...(node === undefined ? {} : { path: node.path }),
      ...(node?.id === undefined ? {} : { id: node.id }),
      ...(hint === undefined ? {} : { hint }),
    });
  }
}
