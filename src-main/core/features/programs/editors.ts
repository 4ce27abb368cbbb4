import { join } from 'node:path'
import {
  configFolder,
  folderOf,
  type Machine,
  type ProgramDefinition,
  provider,
  providerName,
  shellWord,
  toolsFile,
} from './definition.ts'

/** Editors, and Continue, whose terminal agent reads the same file as its editor extensions. */
export const editors: readonly ProgramDefinition[] = [
  {
    id: 'continue',
    commands: ['cn'],
    folder: (machine) => folderOf(machine, 'CONTINUE_GLOBAL_DIR', '.continue'),
    files: [
      {
        format: 'yaml',
        about: 'mergeList',
        paths: (machine) => [join(folderOf(machine, 'CONTINUE_GLOBAL_DIR', '.continue'), 'config.yaml')],
        entries: ({ baseUrl, key, model, context, images }) => [
          // The program refuses a file without these three, and needs no other values of them.
          { path: ['name'], value: providerName, isOptional: true },
          { path: ['version'], value: '1.0.0', isOptional: true },
          { path: ['schema'], value: 'v1', isOptional: true },
          {
            path: ['models', { where: { name: providerName } }],
            isOwn: true,
            value: {
              name: providerName,
              provider: 'openai',
              model,
              apiBase: baseUrl,
              apiKey: key,
              capabilities: images ? ['tool_use', 'image_input'] : ['tool_use'],
              defaultCompletionOptions: { contextLength: context },
            },
          },
        ],
      },
    ],
    tools: {
      part: 0,
      path: ['mcpServers', { where: { name: providerName } }],
      value: (url, headers) => ({
        name: providerName,
        type: 'streamable-http',
        url,
        requestOptions: { headers: { ...headers } },
      }),
    },
    takesEffect: 'atOnce',
    keyPlace: 'file',
    overrides: { variables: [], files: ['.continue/models/'] },
    steps: () => [{ about: 'orRun', language: 'sh', text: 'cn' }],
    trial: { args: (prompt) => ['--print', prompt] },
  },
  {
    id: 'zed',
    commands: ['zed', 'zeditor'],
    folder: zedFolder,
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: (machine) => [join(zedFolder(machine), 'settings.json')],
        entries: ({ baseUrl, model, context, output, images }) => [
          {
            path: ['language_models', 'openai_compatible', provider],
            isOwn: true,
            value: {
              api_url: baseUrl,
              available_models: [
                {
                  name: model,
                  display_name: model,
                  max_tokens: context,
                  max_output_tokens: output,
                  capabilities: { tools: true, images, parallel_tool_calls: true, prompt_cache_key: false },
                },
              ],
            },
          },
        ],
      },
    ],
    tools: { part: 0, path: ['context_servers', provider], value: (url, headers) => ({ url, headers }) },
    takesEffect: 'atOnce',
    keyPlace: 'secretStore',
    overrides: { variables: ['INFERENCE_STUDIO_API_KEY'], files: ['.zed/settings.json'] },
    steps: ({ key }) => [{ about: 'zedKey', language: 'sh', text: `INFERENCE_STUDIO_API_KEY=${shellWord(key)} zed` }],
  },
  {
    id: 'vscode',
    commands: ['code'],
    folder: codeFolder,
    files: [
      {
        format: 'json',
        about: 'mergeFile',
        paths: (machine) => [join(codeFolder(machine), 'User', 'chatLanguageModels.json')],
        entries: ({ baseUrl, key, model, context, output, images }) => [
          {
            path: [{ where: { vendor: 'customendpoint', name: providerName } }],
            isOwn: true,
            value: {
              name: providerName,
              vendor: 'customendpoint',
              apiKey: key,
              apiType: 'chat-completions',
              models: [
                {
                  id: model,
                  name: model,
                  url: `${baseUrl}/chat/completions`,
                  toolCalling: true,
                  vision: images,
                  maxInputTokens: Math.max(1, context - output),
                  maxOutputTokens: output,
                },
              ],
            },
          },
        ],
      },
      toolsFile((machine) => [join(codeFolder(machine), 'User', 'mcp.json')]),
    ],
    tools: { part: 1, path: ['servers', provider], value: (url, headers) => ({ type: 'http', url, headers }) },
    takesEffect: 'restart',
    keyPlace: 'file',
    overrides: { variables: [], files: [] },
    steps: () => [],
  },
]

function zedFolder(machine: Machine): string {
  return machine.platform === 'darwin'
    ? join(machine.home, '.config', 'zed')
    : join(configFolder(machine), machine.platform === 'win32' ? 'Zed' : 'zed')
}

function codeFolder(machine: Machine): string {
  return join(configFolder(machine, 'Application Support'), 'Code')
}
