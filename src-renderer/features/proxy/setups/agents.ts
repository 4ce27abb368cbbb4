import { jsonText, literal, provider, providerName, type Setup, shellWord } from './setup.ts'

/** The context window for agents that can't read it from the service, tokens. */
const contextWindow = 128_000
const windowNote = `${contextWindow} is the context window in tokens: change it if your model has another.`

/** Coding agents in a terminal. */
export const agents: Setup[] = [
  {
    id: 'codex',
    name: 'Codex CLI',
    kind: 'agent',
    npm: '@openai/codex',
    verified: true,
    // Codex edits files with apply_patch only for models that it knows. Other models of its list run JavaScript instead of tools.
    modelMap: [{ pattern: 'gpt-*', size: 'large' }],
    steps: ({ baseUrl, key }) => [
      {
        about:
          'Save as this file. If the file exists, add the first five lines at its start and the sections at its end.',
        language: 'toml',
        file: '~/.codex/config.toml',
        text: `model = "gpt-5.5"
model_provider = "${provider}"
model_context_window = ${contextWindow}
web_search = "disabled"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.${provider}]
name = "${providerName}"
base_url = ${literal(baseUrl)}
env_key = "INFERENCE_STUDIO_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0`,
      },
      {
        about: 'Run this in each new terminal, in your project folder.',
        language: 'sh',
        text: `export INFERENCE_STUDIO_KEY=${shellWord(key)}\ncodex`,
      },
    ],
    note: `Codex asks for gpt-5.5, and the model map of this app replaces it with your model. ${windowNote} No retries, because Inference Studio retries where that is safe. To use your OpenAI account, start it with "codex -c model_provider=openai".`,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    kind: 'agent',
    npm: '@anthropic-ai/claude-code',
    verified: true,
    modelMap: [
      { pattern: '*-haiku-*', size: 'small' },
      { pattern: 'claude-*', size: 'large' },
    ],
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'Save as this file. If the file exists, add these values to its "env".',
        language: 'json',
        file: '~/.claude/settings.json',
        text: jsonText({
          env: {
            // Claude Code appends /v1 itself.
            ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, ''),
            ANTHROPIC_AUTH_TOKEN: key,
            ANTHROPIC_MODEL: model,
            CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextWindow),
            CLAUDE_CODE_MAX_RETRIES: '0',
            // Without this, a reply that was cut is requested again without streaming.
            CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
            // Without this, each session begins its prompt with another line, so that the service finds nothing in its cache.
            CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
          },
        }),
      },
      { about: 'Run this in your project folder.', language: 'sh', text: 'claude' },
    ],
    note: `For subagents and small tasks Claude Code asks for models such as claude-haiku-5-5, which the model map of this app replaces. ${windowNote} No retries, because Inference Studio retries where that is safe. Unset ANTHROPIC_API_KEY in your terminal: a second key is refused. To use your Anthropic account again, remove these values.`,
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    kind: 'agent',
    npm: '@qwen-code/qwen-code',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'Save as this file. If the file exists, merge the text into it.',
        language: 'json',
        file: '~/.qwen/settings.json',
        text: jsonText({
          env: { INFERENCE_STUDIO_KEY: key },
          modelProviders: { openai: [{ id: model, name: model, envKey: 'INFERENCE_STUDIO_KEY', baseUrl }] },
          security: { auth: { selectedType: 'openai' } },
          model: { name: model },
        }),
      },
      { about: 'Run this in your project folder.', language: 'sh', text: 'qwen' },
    ],
  },
  {
    id: 'cline',
    name: 'Cline',
    kind: 'agent',
    npm: 'cline',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'Once, in a terminal.',
        language: 'sh',
        text: `cline auth --provider openai-compatible \\
  --apikey ${shellWord(key)} \\
  --modelid ${shellWord(model)} \\
  --baseurl ${shellWord(baseUrl)}`,
      },
      { about: 'Run this in your project folder.', language: 'sh', text: 'cline' },
    ],
    note: 'In the VS Code extension choose "OpenAI Compatible" as the API provider and enter the same three values.',
  },
  {
    id: 'opencode',
    name: 'opencode',
    kind: 'agent',
    npm: 'opencode-ai',
    verified: true,
    steps: opencodeSteps('~/.config/opencode/opencode.json', 'https://opencode.ai/config.json', 'opencode'),
  },
  {
    id: 'kilo',
    name: 'Kilo Code',
    kind: 'agent',
    npm: '@kilocode/cli',
    verified: true,
    steps: opencodeSteps('~/.config/kilo/kilo.json', 'https://app.kilo.ai/config.json', 'kilo'),
  },
  {
    id: 'pi',
    name: 'Pi',
    kind: 'agent',
    npm: '@earendil-works/pi-coding-agent',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'Save as this file. If the file exists, merge the text into it.',
        language: 'json',
        file: '~/.pi/agent/models.json',
        text: jsonText({
          providers: {
            [provider]: { baseUrl, api: 'openai-completions', apiKey: key, models: [{ id: model }] },
          },
        }),
      },
      {
        about: 'Run this in your project folder.',
        language: 'sh',
        text: `pi --provider ${provider} --model ${shellWord(model)}`,
      },
    ],
  },
  {
    id: 'nanocoder',
    name: 'Nanocoder',
    kind: 'agent',
    npm: '@nanocollective/nanocoder',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'Save as this file. If the file exists, merge the text into it.',
        language: 'json',
        file: '~/.config/nanocoder/agents.config.json',
        text: jsonText({ nanocoder: { providers: [{ name: provider, baseUrl, apiKey: key, models: [model] }] } }),
      },
      {
        about: 'Run this in your project folder.',
        language: 'sh',
        text: `nanocoder --provider ${provider} --model ${shellWord(model)}`,
      },
    ],
    note: 'On macOS the file is ~/Library/Preferences/nanocoder/agents.config.json.',
  },
  {
    id: 'crush',
    name: 'Crush',
    kind: 'agent',
    npm: '@charmland/crush',
    verified: false,
    steps: ({ baseUrl, key, model }) => [
      {
        about: "Save as this file. If the file exists, merge the text into it. The sizes are the model's, in tokens.",
        language: 'json',
        file: '~/.config/crush/crush.json',
        text: jsonText({
          $schema: 'https://charm.land/crush.json',
          providers: {
            [provider]: {
              name: providerName,
              type: 'openai-compat',
              base_url: baseUrl,
              api_key: key,
              models: [{ id: model, name: model, context_window: 128_000, default_max_tokens: 8_000 }],
            },
          },
        }),
      },
      { about: 'Run this in your project folder, and choose the model with Ctrl+L.', language: 'sh', text: 'crush' },
    ],
  },
  {
    id: 'aider',
    name: 'Aider',
    kind: 'agent',
    npm: null,
    verified: false,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'Run this in your project folder. The prefix `openai/` stays, whatever the model.',
        language: 'sh',
        text: `export OPENAI_API_BASE=${shellWord(baseUrl)}
export OPENAI_API_KEY=${shellWord(key)}
aider --model ${shellWord(`openai/${model}`)}`,
      },
    ],
  },
  {
    id: 'goose',
    name: 'goose',
    kind: 'agent',
    npm: null,
    verified: false,
    steps: ({ baseUrl, key, model }) => {
      const address = new URL(baseUrl)
      return [
        {
          about: 'Run this in your project folder. goose takes the address in two parts.',
          language: 'sh',
          text: `export GOOSE_PROVIDER=openai
export GOOSE_MODEL=${shellWord(model)}
export OPENAI_HOST=${shellWord(address.origin)}
export OPENAI_BASE_PATH=${shellWord(`${address.pathname.replace(/^\/|\/$/g, '')}/chat/completions`)}
export OPENAI_API_KEY=${shellWord(key)}
goose session`,
        },
      ]
    },
  },
]

/** The steps for opencode and for Kilo, which uses opencode's format of configuration. `program` starts the agent. */
function opencodeSteps(file: string, schema: string, program: string): Setup['steps'] {
  return ({ baseUrl, key, model }) => [
    {
      about: 'Save as this file. If the file exists, merge the text into it.',
      language: 'json',
      file,
      text: jsonText({
        $schema: schema,
        provider: {
          [provider]: {
            npm: '@ai-sdk/openai-compatible',
            name: providerName,
            options: { baseURL: baseUrl, apiKey: key },
            models: { [model]: { name: model } },
          },
        },
        model: `${provider}/${model}`,
      }),
    },
    { about: 'Run this in your project folder.', language: 'sh', text: program },
  ]
}
