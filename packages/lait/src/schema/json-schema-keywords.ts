/** The keywords of JSON Schema, draft 2020-12, those of earlier drafts that are still written, and two of OpenAPI. */
export const jsonSchemaKeywords: readonly string[] = (
  '$id $schema $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs definitions id ' +
  'allOf anyOf oneOf not if then else dependentSchemas dependencies prefixItems items additionalItems contains ' +
  'properties patternProperties additionalProperties propertyNames unevaluatedItems unevaluatedProperties ' +
  'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern ' +
  'maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired ' +
  'format contentEncoding contentMediaType contentSchema ' +
  'title description default deprecated readOnly writeOnly examples example nullable'
).split(' ');
