import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { definitions } from '../../../../src-main/core/features/programs/programs.ts'
import { appKey } from '../../../helpers/appRequest.ts'
import { makePrograms } from './helpers.ts'

const claudeFile = '.claude/settings.json'
const codexFile = '.codex/config.toml'

/** Settings as Claude Code's users have them. */
const claudeSettings = `{
  "permissions": {
    "allow": ["Bash(npm run lint)", "Bash(npm run test:*)"],
    "deny": ["Read(./.env)"]
  },
  "env": {
    "ANTHROPIC_MODEL": "opus",
    "BASH_DEFAULT_TIMEOUT_MS": "60000"
  },
  "includeCoAuthoredBy": false
}
`

const codexSettings = `# Mine
model = "o3" # the best
approval_policy = "on-request"

[projects."/home/me/work"]
trust_level = "trusted"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
`

const withConnect = definitions.filter(({ files }) => files.length > 0)

describe('Connect', () => {
  it.each(withConnect.map(({ id }) => [id] as const))(
    'creates the file of %s readable by its owner only, and Disconnect deletes it',
    async (id) => {
      const here = makePrograms()
      const preview = await here.programs.preview(here.input(id))
      expect(preview).toMatchObject({ exists: false })
      expect(preview.diff).toContain('+')
      expect(existsSync(preview.file)).toBe(false)
      const connected = await here.connect(id)
      expect(connected).toMatchObject({ program: id, file: preview.file, model: 'maker/model-1' })
      const text = readFileSync(preview.file, 'utf8')
      expect(text).toContain('http://127.0.0.1:8787')
      if (id !== 'zed') expect(text).toContain(here.key)
      if (id !== 'codex' && id !== 'gemini-cli') expect(text).toContain('maker/model-1')
      expect(here.mode(preview.file.slice(here.home.length + 1))).toBe(0o600)
      expect(await here.disconnect(connected.id)).toEqual({ left: [] })
      expect(existsSync(preview.file)).toBe(false)
      expect(readdirSync(join(here.dataDir, 'programs'))).toEqual([])
    },
  )

  it('is known to the local API by the app, once for a program with two files, until Disconnect', async () => {
    const here = makePrograms()
    const cline = await here.connect('cline')
    await here.connect('gemini-cli')
    expect(here.store.connectedPrograms.ofApp(cline.appId).sort()).toEqual(['cline', 'gemini-cli'])
    await here.disconnect(cline.id)
    expect(here.store.connectedPrograms.ofApp(cline.appId)).toEqual(['gemini-cli'])
    expect(here.store.connectedPrograms.ofApp('another')).toEqual([])
  })

  it('shows the exact difference of the file, with keys masked, and writes exactly that', async () => {
    const here = makePrograms({
      files: {
        [claudeFile]: claudeSettings.replace('"opus"', '"opus",\n    "ANTHROPIC_AUTH_TOKEN": "sk-ant-mine-12345678"'),
      },
    })
    const { diff } = await here.programs.preview(here.input('claude-code'))
    expect(diff).toContain('-    "ANTHROPIC_MODEL": "opus"')
    expect(diff).toContain('+    "ANTHROPIC_MODEL": "maker/model-1"')
    expect(diff).not.toContain('mine-1234')
    await here.connect('claude-code')
    const now = here.read(claudeFile)
    expect(JSON.parse(now).env).toMatchObject({
      ANTHROPIC_AUTH_TOKEN: here.key,
      BASH_DEFAULT_TIMEOUT_MS: '60000',
      ENABLE_TOOL_SEARCH: 'true',
    })
    for (const line of claudeSettings.split('\n').filter((one) => !one.includes('ANTHROPIC_MODEL'))) {
      expect(now.split('\n').map((one) => one.replace(/,$/, ''))).toContain(line.replace(/,$/, ''))
    }
  })

  it('refuses a file that was changed since its difference was shown, and writes nothing', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings } })
    const { seen } = await here.programs.preview(here.input('claude-code'))
    here.write(claudeFile, '{}')
    await expect(here.programs.connect({ ...here.input('claude-code'), key: here.key, seen })).rejects.toMatchObject({
      kind: 'bad_input',
      message: expect.stringContaining('was changed by another program meanwhile'),
    })
    expect(here.read(claudeFile)).toBe('{}')
    expect((await here.programs.list()).connected).toEqual([])
  })

  it('keeps the mode of the file and follows symbolic links to it', async () => {
    const here = makePrograms()
    here.write('dotfiles/claude.json', claudeSettings, 0o640)
    mkdirSync(here.path('.claude'))
    symlinkSync(here.path('dotfiles/claude.json'), here.path(claudeFile))
    const connected = await here.connect('claude-code')
    expect(connected.file).toBe(here.path('dotfiles/claude.json'))
    expect(here.mode('dotfiles/claude.json')).toBe(0o640)
    expect(here.read(claudeFile)).toContain(here.key)
    await here.disconnect(connected.id)
    expect(here.read('dotfiles/claude.json')).toBe(claudeSettings)
  })

  it('makes its program known to the local API until Disconnect', async () => {
    const here = makePrograms()
    const { id, appId } = await here.connect('claude-code')
    await here.connect('gemini-cli')
    const known = (app: string) => here.store.connectedPrograms.ofApp(app).toSorted()
    expect([known(appId), known('other')]).toEqual([['claude-code', 'gemini-cli'], []])
    await here.disconnect(id)
    expect(known(appId)).toEqual(['gemini-cli'])
  })

  it('keeps the file as it was before the first change, with its mode, until Disconnect', async () => {
    const here = makePrograms()
    here.write(claudeFile, claudeSettings, 0o640)
    const { id } = await here.connect('claude-code')
    await here.connect('claude-code', 'another/model')
    const kept = join(here.dataDir, 'programs', `${id}.original`)
    expect(readFileSync(kept, 'utf8')).toBe(claudeSettings)
    expect(here.mode(`../data/programs/${id}.original`)).toBe(0o640)
    await here.disconnect(id)
    expect(existsSync(kept)).toBe(false)
    expect(here.read(claudeFile)).toBe(claudeSettings)
  })

  it.each([
    [
      'text that is not JSON',
      '{ "env": ',
      /settings\.json: The file is not valid JSON: a value is expected in line 1\./,
    ],
    ['text with a number as a name', '{\n1: 2 }', /not valid JSON: a name is expected in line 2\./],
    ['text with a half of a string', '{ "env', /not valid JSON: there is an unexpected end of string in line 1\./],
    ['a value where a map is needed', '{ "env": [] }', /shape that can’t be edited safely/],
    ['bytes that are not UTF-8', new Uint8Array([0xff, 0xfe, 0x7b, 0x00]), /not UTF-8/],
    ['more than 1 MB', `{"a":"${'x'.repeat(1024 * 1024)}"}`, /larger than 1 MB/],
    ['nesting without end', '['.repeat(200_000), /settings\.json/],
  ])('refuses %s with words, and leaves it as it is', async (_name, content, words) => {
    const here = makePrograms()
    here.write(claudeFile, content)
    const before = readFileSync(here.path(claudeFile))
    await expect(here.programs.preview(here.input('claude-code'))).rejects.toMatchObject({
      kind: 'bad_input',
      message: expect.stringMatching(words),
    })
    expect(readFileSync(here.path(claudeFile)).equals(before)).toBe(true)
  })

  it('refuses a read-only file, a folder, a link that leads nowhere, and a file that another program has locked', async () => {
    const here = makePrograms()
    const outcome = async () => {
      const preview = await here.programs.preview(here.input('claude-code')).catch((thrown: unknown) => thrown)
      if (preview instanceof Error) return preview
      const { seen } = preview as { seen: string }
      return here.programs
        .connect({ ...here.input('claude-code'), key: here.key, seen })
        .catch((thrown: unknown) => thrown)
    }
    here.write(claudeFile, '{}')
    chmodSync(here.path(claudeFile), 0o444)
    expect(await outcome()).toMatchObject({ kind: 'not_writable', message: expect.stringContaining('is read-only') })
    chmodSync(here.path(claudeFile), 0o644)
    mkdirSync(here.path(`${claudeFile}.lock`))
    expect(await outcome()).toMatchObject({ kind: 'busy', message: expect.stringContaining('locked') })
    rmSync(here.path(`${claudeFile}.lock`), { recursive: true })
    expect(here.read(claudeFile)).toBe('{}')
    unlinkSync(here.path(claudeFile))
    symlinkSync(here.path('nowhere'), here.path(claudeFile))
    expect(await outcome()).toMatchObject({ kind: 'bad_input', message: expect.stringContaining('symbolic link') })
    unlinkSync(here.path(claudeFile))
    mkdirSync(here.path(claudeFile))
    expect(await outcome()).toMatchObject({ kind: 'bad_input' })
    expect((await here.programs.list()).connected).toEqual([])
    expect(readdirSync(dirname(here.path(claudeFile)))).toEqual(['settings.json'])
  })

  it('needs the key of the app, unless the file has it already', async () => {
    const here = makePrograms()
    const first = await here.programs.preview(here.input('codex'))
    await expect(here.programs.connect({ ...here.input('codex'), key: null, seen: first.seen })).rejects.toMatchObject({
      kind: 'bad_input',
      message: expect.stringContaining('Replace the key'),
    })
    await here.connect('codex')
    const second = await here.programs.preview(here.input('codex', 'another'))
    await here.programs.connect({ ...here.input('codex', 'another'), key: null, seen: second.seen })
    expect(here.read(codexFile)).toContain(here.key)
    // The key of another app in the file is not taken for that of this app.
    const other = { ...here.input('codex'), appId: here.apps.add({ name: 'Other' }).app.id }
    const { seen } = await here.programs.preview(other)
    await expect(here.programs.connect({ ...other, key: null, seen })).rejects.toMatchObject({ kind: 'bad_input' })
  })

  it('gives opencode and Kilo the limits and the modalities of the model, and Pi and Continue its images', async () => {
    const known = { context: { tokens: 40_000, from: 'service' as const }, images: 'works' as const }
    const seeing = makePrograms({ facts: known })
    const opencode = await seeing.connect('opencode')
    expect(
      JSON.parse(readFileSync(opencode.file, 'utf8')).provider['inference-studio'].models['maker/model-1'],
    ).toMatchObject({
      limit: { context: 40_000, output: 10_000 },
      attachment: true,
      modalities: { input: ['text', 'image'], output: ['text'] },
    })
    const blind = makePrograms({ facts: { ...known, images: 'refused' } })
    for (const [program, words] of [
      ['kilo', /"attachment": false,\s+"modalities": \{\s+"input": \[\s+"text"\s+\]/],
      ['pi', /"input": \[\s+"text"\s+\]/],
      ['continue', /capabilities:\s+- "?tool_use"?\s+defaultCompletionOptions/],
    ] as const) {
      const { file } = await blind.connect(program)
      expect(readFileSync(file, 'utf8')).toMatch(words)
    }
  })
})

describe('a program with two files', () => {
  const settings = `{
  // Signed in with Google until now.
  "security": { "auth": { "selectedType": "oauth-personal" } },
  "ui": { "theme": "GitHub" },
}
`
  it('is connected and disconnected as one', async () => {
    const here = makePrograms({
      files: { '.gemini/settings.json': settings, '.gemini/.env': '# mine\nGEMINI_API_KEY="mine"\n' },
    })
    const { diff } = await here.programs.preview(here.input('gemini-cli'))
    expect(diff).toContain('--- ~/.gemini/.env')
    expect(diff).toContain('--- ~/.gemini/settings.json')
    const { id } = await here.connect('gemini-cli')
    expect((await here.programs.list()).connected).toHaveLength(1)
    expect(here.read('.gemini/.env')).toBe(
      `# mine\nGEMINI_API_KEY=${here.key}\nGOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787\n`,
    )
    const written = here.read('.gemini/settings.json')
    expect(written).toContain(settings.slice(0, settings.lastIndexOf(',')).replace('oauth-personal', 'gemini-api-key'))
    expect(written).toMatch(/"model": \{\s*"name": "[^"]+",\s*"compressionThreshold": 0\.\d+\s*\}/)
    here.write('.gemini/settings.json', settings)
    expect(await here.stateOf(id)).toBe('linesGone')
    await here.disconnect(id)
    expect(here.read('.gemini/.env')).toBe('# mine\nGEMINI_API_KEY="mine"\n')
    expect(here.read('.gemini/settings.json')).toBe(settings)
    expect((await here.programs.list()).connected).toEqual([])
  })

  it('is connected with both files or with neither', async () => {
    const here = makePrograms({ files: { '.gemini/settings.json': settings } })
    const { seen } = await here.programs.preview(here.input('gemini-cli'))
    chmodSync(here.path('.gemini/settings.json'), 0o444)
    await expect(here.programs.connect({ ...here.input('gemini-cli'), key: here.key, seen })).rejects.toMatchObject({
      kind: 'not_writable',
    })
    expect(existsSync(here.path('.gemini/.env'))).toBe(false)
    expect((await here.programs.list()).connected).toEqual([])
  })
})

describe('Connect with tools', () => {
  const mcpFiles = {
    'claude-code': '.claude.json',
    'copilot-cli': '.copilot/mcp-config.json',
    'gemini-cli': '.gemini/settings.json',
    cline: '.cline/data/settings/cline_mcp_settings.json',
    nanocoder: '.config/nanocoder/.mcp.json',
    'kimi-code': '.kimi-code/mcp.json',
    droid: '.factory/mcp.json',
    vscode: '.config/Code/User/mcp.json',
  } as const
  const claudeState = `{
  "numStartups": 12,
  "mcpServers": {
    "docs": { "type": "stdio", "command": "npx", "args": ["-y", "docs-server"] }
  },
  "projects": { "/home/me/work": { "hasTrustDialogAccepted": true } }
}`

  it.each(definitions.filter(({ tools }) => tools).map(({ id }) => [id] as const))(
    'adds the MCP server with the key of the app to %s, allows its tools, and Disconnect takes everything out',
    async (id) => {
      const here = makePrograms()
      const { diff } = await here.programs.preview(here.input(id, 'one', true))
      expect(diff).toContain('/mcp')
      const connected = await here.connect(id, 'one', true)
      expect(connected).toMatchObject({ state: 'connected', tools: true })
      expect(here.apps.get(here.app.id).tools).toBe(true)
      const file = id in mcpFiles ? here.path(mcpFiles[id as keyof typeof mcpFiles]) : connected.file
      const text = readFileSync(file, 'utf8')
      expect(text).toContain('http://127.0.0.1:8787/mcp')
      expect(text).toContain(`Bearer ${here.key}`)
      expect(here.mode(file.slice(here.home.length + 1))).toBe(0o600)
      expect(await here.disconnect(connected.id)).toEqual({ left: [] })
      expect([existsSync(file), existsSync(connected.file)]).toEqual([false, false])
      expect(readdirSync(join(here.dataDir, 'programs'))).toEqual([])
    },
  )

  it('shows the change of each file, and leaves everything else in both, byte for byte', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings, '.claude.json': claudeState } })
    const { diff } = await here.programs.preview(here.input('claude-code', 'one', true))
    expect(diff).toContain('+++ ~/.claude/settings.json')
    expect(diff).toContain('+++ ~/.claude.json')
    expect(diff).not.toContain(here.key)
    const { id } = await here.connect('claude-code', 'one', true)
    expect(JSON.parse(here.read('.claude.json'))).toEqual({
      ...JSON.parse(claudeState),
      mcpServers: {
        docs: { type: 'stdio', command: 'npx', args: ['-y', 'docs-server'] },
        'inference-studio': {
          type: 'http',
          url: 'http://127.0.0.1:8787/mcp',
          headers: { Authorization: `Bearer ${here.key}` },
        },
      },
    })
    await here.disconnect(id)
    expect(here.read(claudeFile)).toBe(claudeSettings)
    expect(here.read('.claude.json')).toBe(claudeState)
  })

  it('takes the server out of a file that its program has written again', async () => {
    const here = makePrograms({ files: { '.claude.json': claudeState } })
    const { id } = await here.connect('claude-code', 'one', true)
    const rewritten = (text: string, more: object) => JSON.stringify({ ...JSON.parse(text), ...more }, null, 2)
    here.write('.claude.json', rewritten(here.read('.claude.json'), { numStartups: 13 }))
    expect(await here.stateOf(id)).toBe('connected')
    await here.disconnect(id)
    expect(here.read('.claude.json')).toBe(rewritten(claudeState, { numStartups: 13 }))
  })

  it('is added to a connected program and taken out again, also by another app, and the rest of the connection stays', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings, '.claude.json': claudeState } })
    const { id } = await here.connect('claude-code')
    expect(here.read('.claude.json')).toBe(claudeState)
    expect(here.apps.get(here.app.id).tools).toBe(false)
    const without = here.read(claudeFile)
    expect(await here.connect('claude-code', undefined, true)).toMatchObject({ id, tools: true, state: 'connected' })
    expect(here.read(claudeFile)).toBe(without)
    expect(await here.connect('claude-code')).toMatchObject({ id, tools: false, state: 'connected' })
    expect([here.read(claudeFile), here.read('.claude.json')]).toEqual([without, claudeState])

    await here.connect('claude-code', undefined, true)
    const other = here.apps.add({ name: 'Other' })
    const input = { ...here.input('claude-code'), appId: other.app.id }
    const { seen, diff } = await here.programs.preview(input)
    expect(diff).toContain('-    "inference-studio": {')
    await here.programs.connect({ ...input, key: other.key, seen })
    expect(here.read('.claude.json')).toBe(claudeState)
    expect(here.store.connectedPrograms.all()).toHaveLength(1)
  })

  it('reads no file that only tools need when they are not wanted', async () => {
    const here = makePrograms({ files: { '.claude.json': '{ half' } })
    expect(await here.connect('claude-code')).toMatchObject({ state: 'connected', tools: false })
    await expect(here.programs.preview(here.input('claude-code', 'one', true))).rejects.toThrow(/\.claude\.json: /)
  })

  it('writes both files or neither, and allows tools only when they are written', async () => {
    const here = makePrograms({ files: { '.claude.json': claudeState } })
    const input = here.input('claude-code', 'one', true)
    const { seen } = await here.programs.preview(input)
    chmodSync(here.path('.claude.json'), 0o444)
    await expect(here.programs.connect({ ...input, key: here.key, seen })).rejects.toMatchObject({
      kind: 'not_writable',
    })
    expect(existsSync(here.path(claudeFile))).toBe(false)
    expect(here.read('.claude.json')).toBe(claudeState)
    expect((await here.programs.list()).connected).toEqual([])
    expect(here.apps.get(here.app.id).tools).toBe(false)
  })

  it('follows a changed address and a replaced key', async () => {
    const here = makePrograms({ files: { '.claude.json': claudeState } })
    const { id } = await here.connect('claude-code', 'one', true)
    await here.connect('codex')
    here.state.baseUrl = 'http://127.0.0.1:9999/v1'
    const { key } = here.apps.rotate(here.app.id, 0)
    expect(await here.programs.rewrite({ appId: here.app.id, key })).toMatchObject({ failed: [] })
    expect(JSON.parse(here.read('.claude.json')).mcpServers['inference-studio']).toMatchObject({
      url: 'http://127.0.0.1:9999/mcp',
      headers: { Authorization: `Bearer ${key}` },
    })
    expect(here.read(codexFile)).not.toContain('/mcp')
    await here.disconnect(id)
    expect(here.read('.claude.json')).toBe(claudeState)
  })

  it('needs the key for the tools of a program that keeps keys out of its file', async () => {
    const here = makePrograms()
    const connect = async (tools: boolean) => {
      const input = here.input('zed', 'one', tools)
      const { seen } = await here.programs.preview(input)
      return here.programs.connect({ ...input, key: null, seen })
    }
    await connect(false)
    await expect(connect(true)).rejects.toThrow('Replace the key')
    expect(here.apps.get(here.app.id).tools).toBe(false)
  })

  it('has no effect for a program without MCP servers in a file', async () => {
    const here = makePrograms()
    expect(await here.connect('pi', 'one', true)).toMatchObject({ tools: false, state: 'connected' })
    expect(here.apps.get(here.app.id).tools).toBe(false)
    const { programs } = await here.programs.list()
    expect(programs.flatMap(({ id, canUseTools }) => (canUseTools ? [] : [id]))).toEqual(['pi', 'aider', 'goose'])
  })

  it('has texts to paste with the server, and without it none of its file', async () => {
    const here = makePrograms()
    const steps = async (tools: boolean) => {
      const facts = { program: 'claude-code', baseUrl: here.state.baseUrl, key: 'isk_k', model: 'one', tools } as const
      return (await here.programs.steps(facts)).steps.map(({ file }) => file)
    }
    expect(await steps(false)).toEqual(['~/.claude/settings.json', null])
    expect(await steps(true)).toEqual(['~/.claude/settings.json', '~/.claude.json', null])
  })
})

describe('Disconnect', () => {
  it('restores the values that Connect replaced, byte for byte', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings, [codexFile]: codexSettings } })
    for (const [program, file, before] of [
      ['claude-code', claudeFile, claudeSettings],
      ['codex', codexFile, codexSettings],
    ] as const) {
      const { id } = await here.connect(program)
      expect(here.read(file)).not.toBe(before)
      await here.disconnect(id)
      expect(here.read(file)).toBe(before)
    }
  })

  it('takes out exactly its entries after the person and the program edited the file', async () => {
    const here = makePrograms({ files: { [codexFile]: codexSettings, [claudeFile]: claudeSettings } })
    const codex = await here.connect('codex')
    const claude = await here.connect('claude-code')
    const edit = (text: string): string =>
      `${text.replace('approval_policy = "on-request"', 'approval_policy = "never" # bold')}\n[projects."/home/me/new"]\ntrust_level = "trusted"\n`
    here.write(codexFile, edit(here.read(codexFile)))
    here.write(
      claudeFile,
      here
        .read(claudeFile)
        .replace('"includeCoAuthoredBy": false', '"includeCoAuthoredBy": true,\n  "model": "sonnet"'),
    )
    await here.disconnect(codex.id)
    await here.disconnect(claude.id)
    expect(here.read(codexFile)).toBe(edit(codexSettings))
    expect(here.read(claudeFile)).toBe(
      claudeSettings.replace('"includeCoAuthoredBy": false', '"includeCoAuthoredBy": true,\n  "model": "sonnet"'),
    )
  })

  it('leaves an entry that the person changed, and says which', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings } })
    const { id } = await here.connect('claude-code')
    here.write(claudeFile, here.read(claudeFile).replace('"maker/model-1"', '"my/own"'))
    expect(await here.disconnect(id)).toEqual({ left: ['env.ANTHROPIC_MODEL'] })
    expect(JSON.parse(here.read(claudeFile)).env).toEqual({
      ANTHROPIC_MODEL: 'my/own',
      BASH_DEFAULT_TIMEOUT_MS: '60000',
    })
  })

  it('ends a connection whose file is gone', async () => {
    const here = makePrograms()
    const { id, file } = await here.connect('codex')
    unlinkSync(file)
    expect(await here.stateOf(id)).toBe('fileGone')
    await here.disconnect(id)
    expect((await here.programs.list()).connected).toEqual([])
  })
})

describe('a connected program', () => {
  it('has a state for each way in which it may have stopped working', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings } })
    const { id, state } = await here.connect('claude-code')
    expect(state).toBe('connected')
    const text = here.read(claudeFile)
    here.write(claudeFile, claudeSettings)
    expect(await here.stateOf(id)).toBe('linesGone')
    here.write(claudeFile, '{')
    expect(await here.stateOf(id)).toBe('unreadable')
    here.write(claudeFile, text)
    here.state.baseUrl = 'http://127.0.0.1:9999/v1'
    expect(await here.stateOf(id)).toBe('otherAddress')
    here.state.baseUrl = 'http://127.0.0.1:8787/v1'
    here.apps.rotate(here.app.id, 0)
    expect(await here.stateOf(id)).toBe('keyReplaced')
  })

  it('gets a changed address and a replaced key by one call, and Disconnect still restores its file', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings, [codexFile]: codexSettings } })
    const claude = await here.connect('claude-code')
    const codex = await here.connect('codex')
    here.state.baseUrl = 'http://127.0.0.1:9999/v1'
    const { key } = here.apps.rotate(here.app.id, 0)
    expect(await here.programs.rewrite({ appId: here.app.id, key })).toEqual({
      written: [claude.id, codex.id],
      failed: [],
    })
    for (const file of [claudeFile, codexFile]) {
      expect(here.read(file)).toContain(key)
      expect(here.read(file)).not.toContain(here.key)
      expect(here.read(file)).toContain('127.0.0.1:9999')
    }
    expect(await here.stateOf(claude.id)).toBe('connected')
    await here.disconnect(claude.id)
    await here.disconnect(codex.id)
    expect(here.read(claudeFile)).toBe(claudeSettings)
    expect(here.read(codexFile)).toBe(codexSettings)
  })

  it('is reported, not written, when its lines are gone', async () => {
    const here = makePrograms({ files: { [claudeFile]: claudeSettings } })
    const { id } = await here.connect('claude-code')
    here.write(claudeFile, claudeSettings)
    expect(await here.programs.rewrite({ appId: null, key: null })).toEqual({
      written: [],
      failed: [
        {
          id,
          problem: expect.objectContaining({
            kind: 'bad_input',
            message: expect.stringContaining('lines of Inference Studio are gone'),
          }),
        },
      ],
    })
    expect(here.read(claudeFile)).toBe(claudeSettings)
  })
})

describe('looking for programs', () => {
  it('finds commands on the PATH and in known places, folders and files, and starts none', async () => {
    const here = makePrograms({ files: { '.gemini/.env': 'A=1\n' } })
    const ran = here.path('ran')
    here.write('bin/codex', `#!/bin/sh\ntouch ${ran}\n`, 0o755)
    here.write('.opencode/bin/opencode', `#!/bin/sh\ntouch ${ran}\n`, 0o755)
    here.write('bin/kimi', 'not executable')
    mkdirSync(here.path('.factory'))
    const { programs } = await here.programs.list()
    const found = Object.fromEntries(programs.map((one) => [one.id, one]))
    expect(found.codex).toMatchObject({
      installed: true,
      command: here.path('bin/codex'),
      canTry: true,
      hasFile: false,
    })
    expect(found.opencode).toMatchObject({ installed: true, command: here.path('.opencode/bin/opencode') })
    expect(found['gemini-cli']).toMatchObject({ installed: true, command: null, hasFile: true, canTry: false })
    expect(found.droid).toMatchObject({ installed: true, command: null })
    expect(found['kimi-code']).toMatchObject({ installed: false })
    expect(existsSync(ran)).toBe(false)
  })

  it('respects the variables that move configuration files, and says which variables override them', async () => {
    const home = '/nowhere'
    const here = makePrograms({
      env: { CODEX_HOME: `${home}/codex`, XDG_CONFIG_HOME: `${home}/xdg`, ANTHROPIC_BASE_URL: 'https://x.example' },
    })
    const { programs } = await here.programs.list()
    const found = Object.fromEntries(programs.map((one) => [one.id, one]))
    expect(found.codex?.file).toBe('/nowhere/codex/config.toml')
    expect(found.opencode?.file).toBe('/nowhere/xdg/opencode/opencode.json')
    expect(found['claude-code']?.overrides).toContainEqual({
      kind: 'variable',
      name: 'ANTHROPIC_BASE_URL',
      isSet: true,
    })
    expect(found.goose).toMatchObject({ file: null, keyPlace: 'environment' })
  })
})

describe('a trial', () => {
  it('runs the program once in an empty folder, and returns its output and the requests', async () => {
    const here = makePrograms()
    here.write('bin/claude', `#!/bin/sh\necho "$@"\nls -A | wc -l\necho "key ${appKey}" >&2\nexit 3\n`, 0o755)
    const { id } = await here.connect('claude-code')
    const { command, exitCode, ended, output, requests } = await here.programs.try({ id })
    expect({ exitCode, ended, requests }).toEqual({ exitCode: 3, ended: 'exited', requests: [] })
    expect(command).toContain(`${here.path('bin/claude')} --print`)
    expect(output).toContain('--print Reply with the single word OK.')
    expect(output).toMatch(/^\s*0$/m)
    expect(output).not.toContain(appKey)
  })

  it('ends with everything that the program started when the person cancels it', async () => {
    const here = makePrograms()
    const started = here.path('started')
    here.write('bin/claude', `#!/bin/sh\nsleep 300 &\necho $! > ${started}\nwait\n`, 0o755)
    const { id } = await here.connect('claude-code')
    const cancel = new AbortController()
    const trial = here.programs.try({ id }, cancel.signal)
    await vi.waitFor(() => expect(existsSync(started) && readFileSync(started, 'utf8').trim()).toMatch(/^\d+$/), 20_000)
    const pid = Number(readFileSync(started, 'utf8'))
    cancel.abort()
    await expect(trial).rejects.toMatchObject({ kind: 'cancelled' })
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 10_000)
  })
})
