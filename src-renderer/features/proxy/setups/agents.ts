import { contextWindow, jsonText, literal, provider, providerName, type Setup, shellWord } from './setup.ts'

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
        about: 'codexFile',
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
        about: 'eachTerminal',
        language: 'sh',
        text: `export INFERENCE_STUDIO_KEY=${shellWord(key)}\ncodex`,
      },
    ],
    note: 'codex',
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
        about: 'envFile',
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
      { about: 'run', language: 'sh', text: 'claude' },
    ],
    note: 'claudeCode',
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    kind: 'agent',
    npm: '@qwen-code/qwen-code',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'mergeFile',
        language: 'json',
        file: '~/.qwen/settings.json',
        text: jsonText({
          env: { INFERENCE_STUDIO_KEY: key },
          modelProviders: { openai: [{ id: model, name: model, envKey: 'INFERENCE_STUDIO_KEY', baseUrl }] },
          security: { auth: { selectedType: 'openai' } },
          model: { name: model },
        }),
      },
      { about: 'run', language: 'sh', text: 'qwen' },
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
        about: 'once',
        language: 'sh',
        text: `cline auth --provider openai-compatible \\
  --apikey ${shellWord(key)} \\
  --modelid ${shellWord(model)} \\
  --baseurl ${shellWord(baseUrl)}`,
      },
      { about: 'run', language: 'sh', text: 'cline' },
    ],
    note: 'cline',
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
        about: 'mergeFile',
        language: 'json',
        file: '~/.pi/agent/models.json',
        text: jsonText({
          providers: {
            [provider]: { baseUrl, api: 'openai-completions', apiKey: key, models: [{ id: model }] },
          },
        }),
      },
      {
        about: 'run',
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
        about: 'mergeFile',
        language: 'json',
        file: '~/.config/nanocoder/agents.config.json',
        text: jsonText({ nanocoder: { providers: [{ name: provider, baseUrl, apiKey: key, models: [model] }] } }),
      },
      {
        about: 'run',
        language: 'sh',
        text: `nanocoder --provider ${provider} --model ${shellWord(model)}`,
      },
    ],
    note: 'nanocoder',
  },
  {
    id: 'crush',
    name: 'Crush',
    kind: 'agent',
    npm: '@charmland/crush',
    verified: false,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'mergeSizes',
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
              models: [{ id: model, name: model, context_window: contextWindow, default_max_tokens: 8_000 }],
            },
          },
        }),
      },
      { about: 'runChoose', language: 'sh', text: 'crush' },
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
        about: 'runPrefix',
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
          about: 'runParts',
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
      about: 'mergeFile',
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
    { about: 'run', language: 'sh', text: program },
  ]
}
