import { join } from 'node:path'
import {
  configFolder,
  folderOf,
  keyVariable,
  type Machine,
  mcpServers,
  originOf,
  type ProgramDefinition,
  type ProgramFacts,
  provider,
  providerName,
  shellWord,
  toolsFile,
} from './definition.ts'

/** Coding agents in a terminal, in display order. Sources of the less obvious values are in README.md. */
export const agents: readonly ProgramDefinition[] = [
  {
    id: 'codex',
    commands: ['codex'],
    folder: (machine) => folderOf(machine, 'CODEX_HOME', '.codex'),
    files: [
      {
        format: 'toml',
        about: 'tomlFile',
        paths: (machine) => [join(folderOf(machine, 'CODEX_HOME', '.codex'), 'config.toml')],
        entries: ({ baseUrl, key, context }) => [
          { path: ['model'], value: 'gpt-5.5' },
          { path: ['model_provider'], value: provider },
          { path: ['model_context_window'], value: context },
          { path: ['web_search'], value: 'disabled' },
          { path: ['check_for_update_on_startup'], value: false },
          { path: ['analytics', 'enabled'], value: false },
          {
            path: ['model_providers', provider],
            isOwn: true,
            value: {
              name: providerName,
              base_url: baseUrl,
              experimental_bearer_token: key,
              wire_api: 'responses',
              request_max_retries: 0,
              stream_max_retries: 0,
            },
          },
        ],
      },
    ],
    tools: {
      part: 0,
      path: ['mcp_servers', provider],
      value: (url, http_headers) => ({ url, http_headers }),
    },
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: [], files: ['.codex/config.toml'] },
    steps: () => [run('codex')],
    trial: { args: (prompt) => ['exec', '--skip-git-repo-check', '--sandbox', 'read-only', prompt] },
  },
  {
    id: 'claude-code',
    commands: ['claude'],
    installFolders: ({ home }) => [join(home, '.claude', 'local')],
    folder: (machine) => folderOf(machine, 'CLAUDE_CONFIG_DIR', '.claude'),
    files: [
      {
        format: 'json',
        about: 'envFile',
        paths: (machine) => [join(folderOf(machine, 'CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')],
        entries: ({ baseUrl, key, model, context }) =>
          Object.entries({
            // Claude Code appends /v1 itself.
            ANTHROPIC_BASE_URL: originOf(baseUrl),
            ANTHROPIC_AUTH_TOKEN: key,
            ANTHROPIC_MODEL: model,
            CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(context),
            CLAUDE_CODE_MAX_RETRIES: '0',
            // Without this, a reply that was cut is requested again without streaming.
            CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
            // Without this, each session begins its prompt with another line, so that the service finds nothing in its cache.
            CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
            // Tools of MCP servers are sent once they were searched for, not all of them with each request.
            ENABLE_TOOL_SEARCH: 'true',
          }).map(([name, value]) => ({ path: ['env', name], value })),
      },
      toolsFile((machine) => [join(folderOf(machine, 'CLAUDE_CONFIG_DIR'), '.claude.json')]),
    ],
    tools: mcpServers(1, { type: 'http' }),
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: {
      variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_MODEL'],
      files: ['.claude/settings.json', '.claude/settings.local.json'],
    },
    steps: () => [run('claude')],
    trial: { args: (prompt) => ['--print', prompt] },
  },
  {
    id: 'copilot-cli',
    commands: ['copilot'],
    folder: (machine) => folderOf(machine, 'COPILOT_HOME', '.copilot'),
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: (machine) => [join(folderOf(machine, 'COPILOT_HOME', '.copilot'), 'providers.json')],
        entries: ({ baseUrl, key, model, context, output, images }) => [
          {
            path: ['providers', { where: { name: provider } }],
            isOwn: true,
            value: { name: provider, type: 'openai', baseUrl, apiKey: key },
          },
          {
            path: ['models', { where: { provider } }],
            isOwn: true,
            value: {
              id: model,
              provider,
              maxContextWindowTokens: context,
              maxPromptTokens: Math.max(1, context - output),
              maxOutputTokens: output,
              // Without it images are left out.
              capabilities: { supports: { vision: images, tool_calls: true } },
            },
          },
        ],
      },
      toolsFile((machine) => [join(folderOf(machine, 'COPILOT_HOME', '.copilot'), 'mcp-config.json')]),
    ],
    tools: mcpServers(1, { type: 'http', tools: ['*'] }),
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDERS_CONFIG'], files: [] },
    steps: ({ model }) => [run(`copilot --model ${shellWord(`${provider}/${model}`)}`)],
    trial: { args: (prompt, { model }) => ['--model', `${provider}/${model}`, '--prompt', prompt] },
  },
  {
    id: 'gemini-cli',
    commands: ['gemini'],
    folder: ({ home }) => join(home, '.gemini'),
    files: [
      {
        format: 'dotenv',
        about: 'mergeFile',
        paths: ({ home }) => [join(home, '.gemini', '.env')],
        entries: ({ baseUrl, key }) => [
          { path: ['GOOGLE_GEMINI_BASE_URL'], value: originOf(baseUrl) },
          { path: ['GEMINI_API_KEY'], value: key },
        ],
      },
      {
        format: 'json',
        about: 'mergeFile',
        paths: ({ home }) => [join(home, '.gemini', 'settings.json')],
        entries: ({ model, context }) => [
          // Without it, the address alone selects a way to sign in that the program then refuses.
          { path: ['security', 'auth', 'selectedType'], value: 'gemini-api-key' },
          // Without it, it asks a model before each turn which model to use. The app's model map takes those that it names itself.
          { path: ['model', 'name'], value: model },
          // It compresses a conversation at this share of 1,048,576 tokens, whatever the model takes: at half of what this model takes.
          { path: ['model', 'compressionThreshold'], value: Number((context / 2 / 1_048_576).toFixed(4)) },
        ],
      },
    ],
    tools: mcpServers(1, { type: 'http' }),
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: {
      variables: ['GOOGLE_GEMINI_BASE_URL', 'GEMINI_API_KEY'],
      files: ['.env', '.gemini/.env'],
    },
    steps: () => [run('gemini')],
    trial: { args: (prompt) => ['--prompt', prompt] },
  },
  {
    id: 'opencode',
    commands: ['opencode'],
    installFolders: ({ home }) => [join(home, '.opencode', 'bin')],
    ...opencode('opencode', 'https://opencode.ai/config.json', [
      'opencode.jsonc',
      'opencode.json',
      '.opencode/opencode.json',
    ]),
    trial: { args: (prompt) => ['run', prompt] },
  },
  {
    id: 'kilo',
    commands: ['kilo', 'kilocode'],
    ...opencode('kilo', 'https://app.kilo.ai/config.json', ['kilo.jsonc', 'kilo.json', '.kilo/kilo.json']),
    trial: { args: (prompt) => ['run', prompt] },
  },
  {
    id: 'qwen-code',
    commands: ['qwen'],
    folder: (machine) => folderOf(machine, 'QWEN_HOME', '.qwen'),
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: (machine) => [join(folderOf(machine, 'QWEN_HOME', '.qwen'), 'settings.json')],
        entries: ({ baseUrl, key, model, context, images }) => [
          { path: ['env', keyVariable], value: key, isOwn: true },
          {
            path: ['modelProviders', 'openai', { where: { envKey: keyVariable } }],
            isOwn: true,
            value: {
              id: model,
              name: model,
              envKey: keyVariable,
              baseUrl,
              // No retries, because Inference Studio retries where that is safe.
              generationConfig: { maxRetries: 0, contextWindowSize: context, modalities: { image: images } },
            },
          },
          { path: ['security', 'auth', 'selectedType'], value: 'openai' },
          { path: ['model', 'name'], value: model },
        ],
      },
    ],
    tools: {
      part: 0,
      path: ['mcpServers', provider],
      value: (httpUrl, headers) => ({ httpUrl, headers }),
    },
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: {
      variables: ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_MODEL'],
      files: ['.qwen/settings.json', '.env'],
    },
    steps: () => [run('qwen')],
    trial: { args: (prompt) => ['--prompt', prompt] },
  },
  {
    id: 'cline',
    commands: ['cline'],
    folder: ({ home }) => join(home, '.cline'),
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: ({ home }) => [join(home, '.cline', 'data', 'settings', 'providers.json')],
        entries: ({ baseUrl, key, model }) => [
          { path: ['version'], value: 1, isOptional: true },
          { path: ['lastUsedProvider'], value: 'openai-compatible' },
          ...Object.entries({ provider: 'openai-compatible', apiKey: key, model, baseUrl }).map(([name, value]) => ({
            path: ['providers', 'openai-compatible', 'settings', name],
            value,
          })),
          {
            path: ['providers', 'openai-compatible', 'updatedAt'],
            value: '2026-01-01T00:00:00.000Z',
            isOptional: true,
          },
          { path: ['providers', 'openai-compatible', 'tokenSource'], value: 'manual', isOptional: true },
        ],
      },
      toolsFile(({ home }) => [join(home, '.cline', 'data', 'settings', 'cline_mcp_settings.json')]),
    ],
    tools: {
      part: 1,
      path: ['mcpServers', provider],
      value: (url, headers) => ({ transport: { type: 'streamableHttp', url, headers } }),
    },
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: [], files: [] },
    steps: () => [run('cline')],
    trial: { args: (prompt) => [prompt], env: { CLINE_NO_AUTO_UPDATE: '1' } },
  },
  {
    id: 'pi',
    commands: ['pi'],
    folder: (machine) => folderOf(machine, 'PI_CODING_AGENT_DIR', '.pi', 'agent'),
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: (machine) => [join(folderOf(machine, 'PI_CODING_AGENT_DIR', '.pi', 'agent'), 'models.json')],
        entries: ({ baseUrl, key, model, context, output, images }) => [
          {
            path: ['providers', provider],
            isOwn: true,
            value: {
              baseUrl,
              api: 'openai-completions',
              apiKey: key,
              models: [
                { id: model, input: images ? ['text', 'image'] : ['text'], contextWindow: context, maxTokens: output },
              ],
            },
          },
        ],
      },
    ],
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: [], files: [] },
    steps: ({ model }) => [run(`pi --provider ${provider} --model ${shellWord(model)}`)],
    trial: { args: (prompt, { model }) => ['--provider', provider, '--model', model, '--print', prompt] },
  },
  {
    id: 'nanocoder',
    commands: ['nanocoder'],
    folder: nanocoderFolder,
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: (machine) => [join(nanocoderFolder(machine), 'agents.config.json')],
        entries: ({ baseUrl, key, model, context }) => [
          {
            path: ['nanocoder', 'providers', { where: { name: provider } }],
            isOwn: true,
            value: { name: provider, baseUrl, apiKey: key, models: [model], contextWindow: context, maxRetries: 0 },
          },
        ],
      },
      toolsFile((machine) => [join(nanocoderFolder(machine), '.mcp.json')]),
    ],
    tools: mcpServers(1, { transport: 'http' }),
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: [], files: ['agents.config.json'] },
    steps: ({ model }) => [run(`nanocoder --provider ${provider} --model ${shellWord(model)}`)],
    trial: {
      args: (prompt, { model }) => [
        '--provider',
        provider,
        '--model',
        model,
        '--trust-directory',
        '--plain',
        'run',
        prompt,
      ],
    },
  },
  {
    id: 'kimi-code',
    commands: ['kimi'],
    folder: (machine) => folderOf(machine, 'KIMI_CODE_HOME', '.kimi-code'),
    files: [
      {
        format: 'toml',
        about: 'tomlFile',
        paths: (machine) => [join(folderOf(machine, 'KIMI_CODE_HOME', '.kimi-code'), 'config.toml')],
        entries: ({ baseUrl, key, model, context, output, images }) => [
          { path: ['default_model'], value: provider },
          { path: ['telemetry'], value: false },
          // It would send a failed request ten times.
          { path: ['loop_control', 'max_attempts_per_step'], value: 1 },
          { path: ['providers', provider], isOwn: true, value: { type: 'openai', base_url: baseUrl, api_key: key } },
          {
            path: ['models', provider],
            isOwn: true,
            value: {
              provider,
              model,
              max_context_size: context,
              max_output_size: output,
              capabilities: images ? ['tool_use', 'image_in'] : ['tool_use'],
            },
          },
        ],
      },
      toolsFile((machine) => [join(folderOf(machine, 'KIMI_CODE_HOME', '.kimi-code'), 'mcp.json')]),
    ],
    tools: mcpServers(1),
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: ['KIMI_MODEL_NAME', 'KIMI_MODEL_BASE_URL', 'KIMI_MODEL_API_KEY'], files: [] },
    steps: () => [run('kimi')],
    trial: { args: (prompt) => ['--prompt', prompt], env: { KIMI_CODE_NO_AUTO_UPDATE: '1' } },
  },
  {
    id: 'droid',
    commands: ['droid'],
    folder: ({ home }) => join(home, '.factory'),
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: ({ home }) => [join(home, '.factory', 'settings.json')],
        entries: ({ baseUrl, key, model, context, output, images }) => [
          // Without it a conversation grows past the context of the model.
          { path: ['compactionTokenLimitPerModel', droidModel], value: Math.max(1, context - output) },
          {
            path: ['customModels', { where: { displayName: providerName } }],
            isOwn: true,
            value: {
              model,
              id: droidModel,
              displayName: providerName,
              baseUrl,
              apiKey: key,
              provider: 'generic-chat-completion-api',
              maxContextLimit: context,
              maxOutputTokens: output,
              noImageSupport: !images,
            },
          },
        ],
      },
      toolsFile(({ home }) => [join(home, '.factory', 'mcp.json')]),
    ],
    tools: mcpServers(1, { type: 'http', oauth: false, disabled: false }),
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: [], files: ['.factory/settings.json'] },
    steps: () => [run(`droid --model ${droidModel}`)],
    trial: { args: (prompt) => ['exec', '--model', droidModel, prompt] },
  },
  {
    id: 'crush',
    commands: ['crush'],
    folder: (machine) => join(configFolder(machine), 'crush'),
    files: [
      {
        format: 'json',
        about: 'mergeSizes',
        paths: (machine) => [join(configFolder(machine), 'crush', 'crush.json')],
        entries: ({ baseUrl, key, model, context, output, images }) => [
          { path: ['$schema'], value: 'https://charm.land/crush.json', isOptional: true },
          {
            path: ['providers', provider],
            isOwn: true,
            value: {
              name: providerName,
              type: 'openai-compat',
              base_url: baseUrl,
              api_key: key,
              models: [
                {
                  id: model,
                  name: model,
                  context_window: context,
                  default_max_tokens: output,
                  supports_attachments: images,
                },
              ],
            },
          },
        ],
      },
    ],
    tools: { part: 0, path: ['mcp', provider], value: (url, headers) => ({ type: 'http', url, headers }) },
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: [], files: ['crush.json', '.crush.json'] },
    steps: () => [runChoose('crush')],
  },
  {
    id: 'aider',
    commands: ['aider'],
    folder: () => null,
    files: [
      {
        format: 'yaml',
        about: 'mergeFile',
        paths: ({ home }) => [join(home, '.aider.conf.yml')],
        entries: ({ baseUrl, key, model }) => [
          // The prefix stays, whatever the model.
          { path: ['model'], value: `openai/${model}` },
          { path: ['openai-api-base'], value: baseUrl },
          { path: ['openai-api-key'], value: key },
        ],
      },
    ],
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: { variables: ['AIDER_MODEL', 'OPENAI_API_BASE', 'OPENAI_API_KEY'], files: ['.aider.conf.yml', '.env'] },
    steps: () => [run('aider')],
    trial: { args: (prompt) => ['--no-git', '--yes-always', '--dry-run', '--message', prompt] },
  },
  {
    id: 'goose',
    commands: ['goose'],
    folder: (machine) => join(configFolder(machine), 'goose'),
    // It keeps keys in the keychain.
    files: [],
    takesEffect: 'nextSession',
    keyPlace: 'environment',
    overrides: { variables: [], files: [] },
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

/** Droid's own prefix for models of its `customModels`. */
const droidModel = `custom:${provider}`

function run(command: string) {
  return { about: 'run' as const, language: 'sh' as const, text: command }
}

function runChoose(command: string) {
  return { about: 'runChoose' as const, language: 'sh' as const, text: command }
}

/** opencode, and Kilo, which uses opencode's format of configuration. */
function opencode(
  name: 'opencode' | 'kilo',
  schema: string,
  projectFiles: string[],
): Pick<ProgramDefinition, 'folder' | 'files' | 'tools' | 'takesEffect' | 'keyPlace' | 'overrides' | 'steps'> {
  // It takes XDG's folder on every system.
  const folder = (machine: Machine): string => join(folderOf(machine, 'XDG_CONFIG_HOME', '.config'), name)
  return {
    folder,
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: (machine) => [`${name}.json`, `${name}.jsonc`].map((file) => join(folder(machine), file)),
        entries: (facts) => [
          { path: ['$schema'], value: schema, isOptional: true },
          { path: ['provider', provider], isOwn: true, value: opencodeProvider(facts) },
          { path: ['model'], value: `${provider}/${facts.model}` },
        ],
      },
    ],
    tools: { part: 0, path: ['mcp', provider], value: (url, headers) => ({ type: 'remote', url, headers }) },
    takesEffect: 'nextSession',
    keyPlace: 'file',
    overrides: {
      variables: [`${name.toUpperCase()}_CONFIG`, `${name.toUpperCase()}_CONFIG_CONTENT`],
      files: projectFiles,
    },
    steps: () => [run(name)],
  }
}

const opencodeProvider = ({ baseUrl, key, model, context, output, images }: ProgramFacts) => ({
  npm: '@ai-sdk/openai-compatible',
  name: providerName,
  options: { baseURL: baseUrl, apiKey: key },
  models: {
    [model]: {
      name: model,
      // Without a limit it never compacts, and without modalities it sends no images.
      limit: { context, output },
      attachment: images,
      modalities: { input: images ? ['text', 'image'] : ['text'], output: ['text'] },
    },
  },
})

/** It takes `~/Library/Preferences` on macOS. */
function nanocoderFolder(machine: Machine): string {
  const usual = join(configFolder(machine, 'Preferences'), 'nanocoder')
  return machine.env.NANOCODER_CONFIG_DIR === undefined ? usual : folderOf(machine, 'NANOCODER_CONFIG_DIR')
}
