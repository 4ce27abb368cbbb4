import { execFile } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInThisContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { root } from '../../resources/scripts/ready.mjs'
import { mappedModel } from '../../src-main/core/gateway/apps/modelMap.ts'
import { suggestedModelMap } from '../../src-preload/contract/modelMap.ts'
import { appKey } from '../helpers/appRequest.ts'
import { firstCases } from '../helpers/effort.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { type FarEnd, openFarEnd } from '../helpers/gateway.ts'
import { lacks, needs } from '../helpers/programs.mjs'
import { type Facts, setups, type TextSetup } from '../helpers/setups.ts'
import { agents } from './agents/table.ts'
import { openService, type Service } from './helpers/service.ts'

const run = promisify(execFile)

/** Runs an unchanged script in bash with only the given environment, and returns its standard output. */
async function bash(script: string, env: Record<string, string> = {}): Promise<string> {
  return (await run('bash', ['-c', script], { env: { PATH: process.env.PATH ?? '', ...env }, encoding: 'utf8' })).stdout
}

/** A folder for a user's own programs, with the packages of this project installed. */
function ownFolder() {
  const folder = temporaryFolder('studio-setups-')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return {
    /** Saves a module, runs it on this Node, and returns its output. */
    async node(text: string, env: Record<string, string> = {}): Promise<string> {
      const file = join(folder, 'hello.mjs')
      writeFileSync(file, text)
      return (await run(process.execPath, [file], { env: { PATH: process.env.PATH ?? '', ...env }, encoding: 'utf8' }))
        .stdout
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const setup = (id: string): TextSetup => {
  const found = setups.find((one) => one.id === id)
  if (!found) throw new Error(`There is no set-up "${id}".`)
  return found
}
const textOf = (id: string, facts: Facts): string => setup(id).steps(facts)[0]?.text ?? ''

const folder = ownFolder()
afterAll(() => folder.remove())

/** Characters in model ids and keys that are special in a shell, JSON, YAML or a program. */
const nasty = { model: `o'Neil's "big" $HOME \`id\` \\n ☂ {{x}} #1`, key: `isk_'"$(id)\`\\end` }

/** Placeholders that occur in no set-up text. */
const plain = { key: 'KEYKEYKEY', model: 'MODELMODEL' }

/** Any text that is valid as a program argument. */
const given = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((text) => !text.includes('\0'))
const baseUrl = 'http://127.0.0.1:8787/v1'
const facts = fc.record({ model: given, key: given }).map((two) => ({ baseUrl, ...two }))

describe('the set-up texts', () => {
  it('exist for at least ten programs that a test has run with them, each with a unique name', () => {
    expect(setups.filter(({ verified }) => verified).length).toBeGreaterThanOrEqual(10)
    expect(new Set(setups.map(({ id }) => id)).size).toBe(setups.length)
    expect(new Set(setups.map(({ name }) => name)).size).toBe(setups.length)
  })

  it('of coding agents and editors are marked as tested if and only if the table of trials has an entry for them', () => {
    const claimed = setups.filter(({ kind, verified }) => verified && (kind === 'agent' || kind === 'editor'))
    const run = agents.filter(({ setup }) => setup !== 'crush')
    expect(run.map(({ setup, package: from }) => `${setup} ${from}`).sort()).toEqual(
      claimed.map(({ id, npm }) => `${id} ${npm}`).sort(),
    )
  })

  it('of each program together contain address, key and model, and no placeholder', () => {
    for (const { id, steps } of setups) {
      const texts = steps({ baseUrl, key: 'isk_k', model: 'a-model' })
      const all = texts.map(({ text }) => text).join('\n')
      expect(all, id).toContain('http://127.0.0.1:8787')
      expect(all, id).toContain('isk_k')
      // The models of Codex and Gemini CLI are chosen by the app's model map.
      if (!['shell', 'codex', 'gemini-cli'].includes(id)) expect(all, id).toContain('a-model')
      expect(all, id).not.toMatch(/undefined|<[A-Za-z-]+>|\.\.\.|\[object/)
    }
  })

  it('in JSON parse to exactly the key and the model, whatever their characters', () => {
    // Gemini CLI has an .env file beside its JSON, which can't express every text. Keys of ours have none of those characters.
    const inJson = setups.filter(({ id }) => id !== 'gemini-cli')
    const shape = inJson.map((one) => jsonOf(one, { baseUrl, ...plain }))
    expect(shape.flat().length).toBeGreaterThanOrEqual(6)
    fc.assert(
      fc.property(facts, (some) => {
        expect(inJson.map((one) => jsonOf(one, some))).toEqual(filled(shape, some))
      }),
    )
  })

  it('in YAML parse to exactly the key and the model', () => {
    fc.assert(
      fc.property(facts, (some) => {
        expect(parseYaml(textOf('continue', some))).toMatchObject({
          models: [{ model: some.model, apiBase: some.baseUrl, apiKey: some.key }],
        })
        expect(parseYaml(textOf('aider', some))).toMatchObject({
          model: `openai/${some.model}`,
          'openai-api-base': some.baseUrl,
          'openai-api-key': some.key,
        })
      }),
    )
  })

  it('in TOML contain the address as a basic string with the same value', () => {
    fc.assert(
      fc.property(given, (address) => {
        const line = /^base_url = (".*")$/m.exec(textOf('codex', { baseUrl: address, ...plain }))?.[1] ?? ''
        expect(JSON.parse(line)).toBe(address)
        // TOML 1.0: control characters must be escaped, except the tab.
        expect(line).not.toMatch(/\p{Cc}/u)
      }),
    )
  })

  it('put Codex CLI and Claude Code first, without a retry loop of their own', () => {
    expect(setups.slice(0, 2).map(({ name }) => name)).toEqual(['Codex CLI', 'Claude Code'])
    const codex = textOf('codex', { baseUrl, ...plain })
    for (const line of ['wire_api = "responses"', 'request_max_retries = 0', 'stream_max_retries = 0'])
      expect(codex.split('\n')).toContain(line)
    expect(JSON.parse(textOf('claude-code', { baseUrl, ...plain }))).toMatchObject({
      env: {
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:8787',
        CLAUDE_CODE_MAX_RETRIES: '0',
        CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
      },
    })
  })

  it('of an app with names of its vendor offer a model map that covers these names', () => {
    const asked = {
      codex: ['gpt-5.5'],
      'claude-code': ['claude-haiku-5-5', 'claude-sonnet-5-5', 'claude-opus-5-5'],
      'gemini-cli': ['gemini-3-flash'],
    }
    const offered = setups.filter(({ modelMap = [] }) => modelMap.length > 0).map(({ id }) => id)
    expect(offered).toEqual(Object.keys(asked))
    for (const [id, names] of Object.entries(asked)) {
      const map = suggestedModelMap(setup(id).modelMap ?? [], 'writer-large', ['writer-large', 'writer-small'])
      const models = names.map((name) => mappedModel(map, name))
      expect(models).toEqual(names.map((name) => (name.includes('haiku') ? 'writer-small' : 'writer-large')))
    }
  })

  it('in programs contain key and model as string literals with the same value', () => {
    fc.assert(
      fc.property(facts, (some) => {
        for (const id of ['openai-node', 'ai-sdk', 'langchain']) {
          const literals = textOf(id, some).match(/"(?:[^"\\]|\\.)*"/g) ?? []
          const values = literals.map((text): unknown => runInThisContext(text))
          expect(values, id).toEqual(expect.arrayContaining([some.baseUrl, some.key, some.model]))
        }
      }),
    )
  })

  it(
    'for a terminal pass exactly the key and the model to their programs, whatever their characters',
    needs('posix', 'long'),
    async () => {
      const shape = await wordsOfAll({ baseUrl, ...plain })
      expect(shape.filter((word) => word.includes(plain.key)).length).toBeGreaterThanOrEqual(6)
      expect(shape.filter((word) => word.includes(plain.model)).length).toBeGreaterThanOrEqual(6)
      await fc.assert(
        fc.asyncProperty(facts, async (some) => {
          const words = shape.map((word) =>
            word.startsWith('{') ? JSON.stringify(filled(JSON.parse(word), some)) : filled(word, some),
          )
          expect(await wordsOfAll(some)).toEqual(words)
        }),
        { numRuns: 4, examples: [[{ baseUrl, ...nasty }]] },
      )
    },
  )
})

describe('the values sent by an unchanged pasted text', () => {
  let far: FarEnd
  beforeAll(async () => {
    far = await openFarEnd((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'm' }
      const choice = { index: 0, delta: { role: 'assistant', content: 'Good morning' }, finish_reason: null }
      const last = { index: 0, delta: {}, finish_reason: 'stop' }
      response.write(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`)
      response.end(`data: ${JSON.stringify({ ...chunk, choices: [last] })}\n\ndata: [DONE]\n\n`)
    })
  })
  afterAll(() => far.close())

  it.for(['curl', 'openai-node'])('%s: the exact model and key', { tags: 'long' }, async (id, { skip }) => {
    skip(id === 'curl' && lacks('curl') !== null)
    const from = far.requests.length
    const text = textOf(id, { baseUrl: `${far.url}/v1`, ...nasty })
    const printed = id === 'curl' ? await bash(text) : await folder.node(text)
    expect(printed).toContain('Good morning')
    const [request, ...more] = far.requests.slice(from)
    expect(more).toEqual([])
    expect(request?.headers.authorization).toBe(`Bearer ${nasty.key}`)
    expect(request?.url).toBe('/v1/chat/completions')
    expect(JSON.parse(String(request?.body))).toMatchObject({ model: nasty.model, stream: true })
  })
})

describe('a turn through the local /v1 with the unchanged text', () => {
  let service: Service
  const here = (model: string): Facts => ({ baseUrl: service.gateway.url, key: appKey, model })
  beforeAll(async () => {
    service = await openService()
  })
  afterAll(() => service.close())

  /** Runs the text of a set-up, which must stream a reply. */
  async function streamed(id: string, run: (text: string) => Promise<string>): Promise<void> {
    const text = textOf(id, here('mirror'))
    const { result, reached } = await service.during(() => run(text))
    expect(result).toContain('Hello')
    expect(reached).toMatchObject([{ path: '/v1/chat/completions', stream: true, status: 200, model: 'mirror' }])
    expect(service.gateway.refusals).toEqual([])
  }

  it('curl: streamed', needs('curl'), () => streamed('curl', bash))

  it.each(firstCases(1, ['openai-node', 'ai-sdk', 'langchain']))('%s: streamed', (id) => streamed(id, folder.node))

  it('shell: the official package works with only the two variables', needs('posix', 'long'), async () => {
    const script = `import OpenAI from 'openai'
const models = await new OpenAI().models.list()
process.stdout.write(models.data.map(({ id }) => id).join(' '))`
    const exported = await bash(`${textOf('shell', here('mirror'))}\nenv -0`)
    const env = Object.fromEntries(
      exported.split('\0').flatMap((line) => (line.startsWith('OPENAI_') ? [pair(line)] : [])),
    )
    expect(await folder.node(script, env)).toContain('writer-small')
  })
})

const programs = [
  'copilot',
  'gemini',
  'kimi',
  'droid',
  'cline',
  'pi',
  'nanocoder',
  'aider',
  'goose',
  'zed',
  'llm',
  'codex',
  'claude',
  'curl',
  'qwen',
  'opencode',
  'kilo',
  'crush',
  'cn',
]
const variables = [
  'COPILOT_PROVIDER_API_KEY',
  'COPILOT_MODEL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_API_BASE',
  'GOOSE_MODEL',
  'INFERENCE_STUDIO_API_KEY',
  'INFERENCE_STUDIO_KEY',
]

/** Runs the terminal texts of every set-up, each in its own shell, where every program only prints its arguments and variables. */
async function wordsOfAll(some: Facts): Promise<string[]> {
  const say = `printf '%s\\0' "$@" ${variables.map((name) => `"$${name}"`).join(' ')}`
  const stubs = programs.map((name) => `${name}() { ${say}; }`).join('\n')
  // An .env file can't express every text. Keys of ours have none of those characters.
  const scripts = setups
    .filter(({ id }) => id !== 'gemini-cli')
    .map(({ steps }) => {
      const typed = steps(some).filter(({ language, file }) => language === 'sh' && !file)
      return `(set -e\n${typed.map(({ text }) => text).join('\n')}\n${say})`
    })
  return (await bash(`${stubs}\n${scripts.join('\n')}`)).split('\0')
}

const jsonOf = ({ steps }: TextSetup, some: Facts): unknown[] =>
  steps(some).flatMap(({ language, text }) => (language === 'json' ? [JSON.parse(text) as unknown] : []))

/** Returns the same value with the placeholders in its strings and names replaced by the real values. */
function filled(value: unknown, some: Facts): unknown {
  if (typeof value === 'string') return put(value, some)
  if (Array.isArray(value)) return value.map((inner) => filled(inner, some))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [put(name, some), filled(inner, some)]))
}

const put = (text: string, { key, model }: Facts): string =>
  text.replace(/KEYKEYKEY|MODELMODEL/g, (placeholder) => (placeholder === plain.key ? key : model))

const pair = (line: string): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]
