import { describe, expect, it } from 'vitest'
import type { ProgramId } from '../../../../src-preload/contract/programs.ts'
import { makePrograms } from './helpers.ts'

// Shapes of configuration files as the documentation and the packages of the programs have them, and as people write them.

const shapes: [ProgramId, string, string, string][] = [
  [
    'opencode',
    'comments and trailing commas',
    '.config/opencode/opencode.jsonc',
    `{
  "$schema": "https://opencode.ai/config.json",
  // Theme configuration
  "theme": "opencode",
  "model": "anthropic/claude-sonnet-4-5", // my usual one
  "autoupdate": true,
  "provider": {
    "ollama": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "http://localhost:11434/v1" },
      "models": { "llama2": { "name": "Llama 2" }, },
    }, /* local */
  },
  "permission": { "edit": "ask", "bash": { "git push": "ask", "*": "allow" } },
}
`,
  ],
  [
    'claude-code',
    'one line, written by a program',
    '.claude/settings.json',
    '{"permissions":{"allow":["WebFetch(domain:docs.example)"]},"model":"opus","hooks":{"PostToolUse":[{"matcher":"Edit","hooks":[{"type":"command","command":"npx prettier --write"}]}]},"env":{}}',
  ],
  [
    'claude-code',
    'tabs, CRLF and a byte order mark',
    '.claude/settings.json',
    '\ufeff{\r\n\t"env": {\r\n\t\t"DISABLE_TELEMETRY": "1"\r\n\t},\r\n\t"statusLine": { "type": "command", "command": "~/.claude/statusline.sh" }\r\n}\r\n',
  ],
  ['claude-code', 'an empty file', '.claude/settings.json', ''],
  [
    'codex',
    'profiles, MCP servers, inline tables and dotted keys',
    '.codex/config.toml',
    `# Codex
model = "gpt-5-codex"
model_reasoning_effort = "high"   # slow but good
notify = ["python3", "/home/me/.codex/notify.py"]
tools.web_search = true
analytics = { enabled = true } # fine

developer_instructions = """
model = "not this one"
[analytics]
"""

[model_providers.azure]
name = "Azure"
base_url = "https://me.openai.azure.com/openai"
query_params = { api-version = "2025-04-01-preview" }

[profiles.fast]
model = "gpt-5-mini"
approval_policy = "never"

[mcp_servers."my docs"]
command = 'npx'
env = { "API_KEY" = "value" }

[[hooks.items]]
name = "one"

[[hooks.items]]
name = "two"`,
  ],
  [
    'codex',
    'lines that somebody pasted by hand before',
    '.codex/config.toml',
    `model_provider = "inference-studio"

[model_providers.inference-studio]
name = "Inference Studio"
base_url = "http://127.0.0.1:8787/v1"
env_key = "INFERENCE_STUDIO_KEY"
wire_api = "responses"
`,
  ],
  [
    'kimi-code',
    'OAuth references and overridden models',
    '.kimi-code/config.toml',
    `default_model = "kimi-code/kimi-for-coding"

[providers."managed:kimi-code"]
type = "kimi"
base_url = "https://api.kimi.com/coding/v1"
oauth = { storage = "file", key = "oauth/kimi-code" }

[models."kimi-code/kimi-for-coding"]
provider = "managed:kimi-code"
model = "kimi-for-coding"
max_context_size = 262144
`,
  ],
  [
    'continue',
    'a list at the margin, anchors and prompts over several lines',
    '.continue/config.yaml',
    `name: My Config
version: 0.0.1
schema: v1

model_defaults: &model_defaults
  provider: openai
  apiKey: my-api-key

models:
- name: mistral   # code
  <<: *model_defaults
  model: mistral-7b-instruct
  roles: [chat, edit]
- name: qwen2.5-coder-7b
  <<: *model_defaults
  model: qwen2.5-coder-7b-instruct
  promptTemplates:
    autocomplete: |
      \`\`\`{{{ language }}}
      {{{ prefix }}}[BLANK]

# Rules
rules:
  - Give concise responses
context:
  - provider: diff
`,
  ],
  [
    'aider',
    'its sample with everything commented out',
    '.aider.conf.yml',
    '# ValuePlace in your home dir\n\n#model: xxx\n\n## Specify the api base url\n#openai-api-base: xxx\n\ndark-mode: true\nread: [CONVENTIONS.md, anotherfile.txt]\n',
  ],
  [
    'zed',
    'comments at the top and settings of languages',
    '.config/zed/settings.json',
    `// Zed settings
//
// For information on how to configure Zed, see the documentation
{
  "ui_font_size": 16,
  "languages": {
    "Python": { "tab_size": 4 }
  },
  "agent": {
    "default_model": { "provider": "zed.dev", "model": "claude-sonnet-4" }
  },
  "language_models": {
    "ollama": { "api_url": "http://localhost:11434" }
  }
}
`,
  ],
  [
    'vscode',
    'a list of providers with references to secrets',
    '.config/Code/User/chatLanguageModels.json',
    `[
	{
		"name": "OpenRouter",
		"vendor": "openrouter",
		"apiKey": "\${input:chat.lm.secret.-1f2e3d}"
	}
]`,
  ],
  [
    'droid',
    'models of its own',
    '.factory/settings.json',
    '{\n  "logoAnimation": "off",\n  "customModels": [\n    { "model": "x", "baseUrl": "https://x.example/v1", "apiKey": "x-key", "provider": "openai" }\n  ]\n}\n',
  ],
  [
    'gemini-cli',
    'quotes, export and comments',
    '.gemini/.env',
    '# keys\nexport GOOGLE_CLOUD_PROJECT="my project" # work\nGEMINI_API_KEY=AIza-mine # private\n\nLAST=1',
  ],
  [
    'qwen-code',
    'providers of models',
    '.qwen/settings.json',
    `{
    "$version": 3,
    "modelProviders": {
        "openai": [
            { "id": "qwen3-coder-plus", "envKey": "DASHSCOPE_API_KEY", "baseUrl": "https://dashscope.aliyuncs.com/compatible-mode/v1" }
        ]
    },
    "security": { "auth": { "selectedType": "qwen-oauth" } },
    "model": { "name": "qwen3-coder-plus" }
}
`,
  ],
]

const kept = (text: string): string[] => text.split(/\r?\n/).filter((line) => /(?:^|\s)(?:#|\/\/|\/\*)/.test(line))

describe.each(shapes)('the file of %s with %s', (program, _shape, name, before) => {
  it.each([
    ['it is connected', false],
    ['it is connected with tools', true],
  ])('keeps its comments when %s, and is the same as before when it is disconnected', async (_when, tools) => {
    const here = makePrograms({ files: { [name]: before } })
    const { id, state } = await here.connect(program, undefined, tools)
    expect(state).toBe('connected')
    const after = here.read(name)
    if (program !== 'zed' || tools) expect(after).toContain(here.key)
    for (const line of kept(before)) expect(after).toContain(line.replace(/^.*?(?=#|\/\/|\/\*)/, ''))
    await here.disconnect(id)
    expect(here.read(name)).toBe(before)
  })

  it('keeps a comment that the person adds in between', async () => {
    const here = makePrograms({ files: { [name]: before } })
    const { id } = await here.connect(program)
    const isJson = /\.jsonc?$/.test(name)
    const added = isJson ? '// added later\n' : '# added later\n'
    const edit = (text: string): string => (text.startsWith('\ufeff') ? `\ufeff${added}${text.slice(1)}` : added + text)
    here.write(name, edit(here.read(name)))
    expect(await here.disconnect(id)).toEqual({ left: [] })
    const wanted = before === '' ? `${added}{\n}\n` : edit(before)
    const plain = (text: string): string => text.replace(/\s+/g, '')
    expect(plain(here.read(name))).toBe(plain(wanted))
  })
})
