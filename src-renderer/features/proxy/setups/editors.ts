import { contextWindow, jsonText, literal, provider, providerName, type Setup, shellWord } from './setup.ts'

/** Editors, and Continue, whose terminal agent reads the same file as its editor extensions. */
export const editors: Setup[] = [
  {
    id: 'continue',
    name: 'Continue',
    where: 'continue',
    kind: 'editor',
    npm: '@continuedev/cli',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'addModel',
        language: 'yaml',
        file: '~/.continue/config.yaml',
        text: `name: ${providerName}
version: 1.0.0
schema: v1
models:
  - name: ${literal(model)}
    provider: openai
    model: ${literal(model)}
    apiBase: ${literal(baseUrl)}
    apiKey: ${literal(key)}
    capabilities:
      - tool_use`,
      },
      { about: 'orRun', language: 'sh', text: 'cn' },
    ],
  },
  {
    id: 'zed',
    name: 'Zed',
    kind: 'editor',
    npm: null,
    verified: false,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'zedSettings',
        language: 'json',
        file: '~/.config/zed/settings.json',
        text: jsonText({
          language_models: {
            openai_compatible: {
              [provider]: {
                api_url: baseUrl,
                available_models: [{ name: model, display_name: model, max_tokens: contextWindow }],
              },
            },
          },
        }),
      },
      {
        about: 'zedKey',
        language: 'sh',
        text: `INFERENCE_STUDIO_API_KEY=${shellWord(key)} zed`,
      },
    ],
  },
]
