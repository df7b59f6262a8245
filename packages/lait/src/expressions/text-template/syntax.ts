/** The syntax tree of a text template. */
export type TemplateNode =
  | { type: 'text'; text: string }
  | { type: 'output'; value: TemplateExpression; line: number }
  | {
      type: 'if';
      branches: { test: TemplateExpression; body: TemplateNode[] }[];
      otherwise: TemplateNode[];
      line: number;
    }
  | {
      type: 'for';
      targets: string[];
      items: TemplateExpression;
      test?: TemplateExpression;
      body: TemplateNode[];
      otherwise: TemplateNode[];
      line: number;
    }
  | { type: 'set'; targets: string[]; field?: string; value: TemplateExpression; line: number }
  | { type: 'set_block'; target: string; filters: FilterCall[]; body: TemplateNode[]; line: number }
  | {
      type: 'with';
      bindings: { name: string; value: TemplateExpression }[];
      body: TemplateNode[];
      line: number;
    }
  | { type: 'filter'; filters: FilterCall[]; body: TemplateNode[]; line: number }
  | {
      type: 'macro';
      name: string;
      parameters: { name: string; fallback?: TemplateExpression }[];
      body: TemplateNode[];
      line: number;
    };

export interface Arguments {
  positional: TemplateExpression[];
  named: { name: string; value: TemplateExpression }[];
}

export interface FilterCall {
  name: string;
  arguments: Arguments;
  line: number;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '~';
export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

export type TemplateExpression =
  | { type: 'literal'; value: string | number | boolean | null }
  | { type: 'name'; name: string; line: number }
  | { type: 'list'; items: TemplateExpression[] }
  | { type: 'dict'; entries: { key: TemplateExpression; value: TemplateExpression }[]; line: number }
  | { type: 'field'; object: TemplateExpression; name: string; line: number }
  | { type: 'item'; object: TemplateExpression; index: TemplateExpression; line: number }
  | {
      type: 'slice';
      object: TemplateExpression;
      start?: TemplateExpression;
      stop?: TemplateExpression;
      step?: TemplateExpression;
      line: number;
    }
  | { type: 'call'; callee: TemplateExpression; arguments: Arguments; line: number }
  | { type: 'filtered'; value: TemplateExpression; filter: FilterCall }
  | {
      type: 'test';
      value: TemplateExpression;
      name: string;
      arguments: Arguments;
      negated: boolean;
      line: number;
    }
  | {
      type: 'binary';
      operator: BinaryOperator;
      left: TemplateExpression;
      right: TemplateExpression;
      line: number;
    }
  | { type: 'negative' | 'positive' | 'not'; value: TemplateExpression; line: number }
  | { type: 'and' | 'or'; left: TemplateExpression; right: TemplateExpression }
  | {
      type: 'compare';
      first: TemplateExpression;
      rest: { operator: CompareOperator; value: TemplateExpression }[];
      line: number;
    }
  | {
      type: 'choice';
      test: TemplateExpression;
      yes: TemplateExpression;
      no?: TemplateExpression;
      line: number;
    };
