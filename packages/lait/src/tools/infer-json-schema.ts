/**
 * The type of the values that a literal JSON Schema describes, as far as `type`, `enum`, `const`, `properties`,
 * `required` and `items` say; `unknown` beyond that.
 */
export type InferJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? Type extends readonly (infer Each)[]
        ? InferType<Each, Schema>
        : InferType<Type, Schema>
      : unknown;

type InferType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? InferJsonSchema<Items>[]
            : unknown[]
          : Type extends 'object'
            ? InferObject<Schema>
            : unknown;

type InferObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Simplify<
      { [Key in keyof Properties & RequiredNames<Schema>]: InferJsonSchema<Properties[Key]> } & {
        [Key in Exclude<keyof Properties, RequiredNames<Schema>>]?: InferJsonSchema<Properties[Key]>;
      }
    >
  : Record<string, unknown>;

type RequiredNames<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Simplify<Type> = { [Key in keyof Type]: Type[Key] };
