/** What `lait init` writes. Each passes `lait lint`; a test holds them to it. */
export const scaffolds = {
  config: {
    path: 'lait.config.yml',
    schema: 'config',
    text: `# yaml-language-server: $schema=./config.schema.json
# Settings that all workflows of this directory share.

default:
  model: local

models:
  # LM Studio, llama.cpp and vLLM serve an OpenAI-compatible API like this one; Ollama uses port 11434.
  local:
    - provider:
        base_url: http://localhost:1234/v1
      model_id: local-model

  # A hosted model; the key comes from the environment or from .env in the current directory.
  # cloud:
  #   - provider:
  #       base_url: https://api.openai.com/v1
  #       api_key: \${OPENAI_API_KEY}
  #     model_id: gpt-4o-mini

# Names for \`lait run NAME\`:
# workflows:
#   summarize: workflow.yml
`,
  },
  workflow: {
    path: 'workflow.yml',
    schema: 'workflow',
    text: `# yaml-language-server: $schema=./workflow.schema.json
version: 2
name: summarize
description: Summarizes a text and keeps the result in a file

inputs:
  lang: { type: string, default: English, description: Language of the summary }

steps:
  - id: summary
    prompt: |
      Summarize the following text in three sentences, in {{ inputs.lang }}:

      {{ input }}
    retry: { max_attempts: 2, delay_seconds: 1 }
  - write: summary.txt
`,
  },
  agent: {
    path: 'agent.md',
    text: `---
name: reviewer
description: Reviews a text and names what to improve
temperature: 0.2
---
You are a careful reviewer. Read the following text and list at most five concrete improvements,
the most important first.

{{ input }}
`,
  },
  test: {
    path: 'workflow.test.yml',
    schema: 'test',
    text: `# yaml-language-server: $schema=./test.schema.json
# Record the replies of the model once with \`lait test workflow.test.yml --update\`; then \`lait test workflow.test.yml\`
# needs no model.
workflow: workflow.yml
input: some text
replay: replies
assert:
  - { type: jq, expr: 'length > 0' }
`,
  },
} as const;

export type ScaffoldKind = keyof typeof scaffolds;
