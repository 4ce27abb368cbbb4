// The tables of docs/dialects/gemini.md name everything in the SDK's types, and what they say is true.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { geminiDialect } from '../../../../../src-main/core/gateway/dialects/gemini/gemini.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'

const text = readFileSync(new URL('../../../../../docs/dialects/gemini.md', import.meta.url), 'utf8')

interface TableRow {
  name: string
  result: string
  /** Name in `x-studio-ignored`, or an empty string. */
  trace: string
}

function rowsOf(section: string): TableRow[] {
  const [, found = ''] = text.split(`\n## ${section}\n`)
  const [rows = ''] = found.split('\n## ')
  return rows.split('\n').flatMap((line) => {
    const [, name = '', result = '', , trace = ''] = line.split('|').map((cell) => cell.trim())
    return /^`[^`]+`$/.test(name) ? [{ name: name.slice(1, -1), result, trace: trace.replaceAll('`', '') }] : []
  })
}

const [fields, settings, parts, tools, replies] = [
  'Request fields',
  'Settings',
  'Contents and parts',
  'Tools',
  'Replies',
].map(rowsOf) as [TableRow[], TableRow[], TableRow[], TableRow[], TableRow[]]

const sdk = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('@google/genai')), '../genai.d.ts'),
  'utf8',
).replaceAll('\r\n', '\n')

/** Names of the members of an exported interface, class or enumeration of the official package. */
function membersOf(kind: 'interface' | 'class' | 'enum', name: string): string[] {
  const [, found] = sdk.split(`export declare ${kind} ${name} {\n`)
  const [body = ''] = found?.split('\n}') ?? []
  const members = [...body.matchAll(/^ {4}(\w+)(?:\?:|:| =)/gm)].map(([, member = '']) => member)
  if (members.length === 0) throw new Error(`The package declares no ${kind} ${name}.`)
  return members.filter((member) => !member.endsWith('UNSPECIFIED'))
}

/** Settings of the client itself, and those that it refuses for this API. */
const notInRequests = new Set([
  ...['httpOptions', 'abortSignal', 'automaticFunctionCalling', 'automaticContinuation'],
  ...['routingConfig', 'modelSelectionConfig', 'audioTimestamp', 'modelArmorConfig', 'generationOutputConfig'],
])

const names = (rows: TableRow[]): string[] => rows.map(({ name }) => name)

describe('the tables name', () => {
  it('every field of a request', () => {
    const known = [...names(fields), ...names(settings), 'generationConfig.thinkingConfig']
    const asked = membersOf('interface', 'GenerateContentConfig').filter((name) => !notInRequests.has(name))
    expect(asked.length).toBeGreaterThan(25)
    expect(asked.filter((name) => !known.includes(name) && !known.includes(`generationConfig.${name}`))).toEqual([])
    const thinking = membersOf('interface', 'ThinkingConfig').map((name) => `generationConfig.thinkingConfig.${name}`)
    const levels = membersOf('enum', 'ThinkingLevel').map((level) => `${thinking.at(-1)}: ${level}`)
    expect(known).toEqual(expect.arrayContaining([...thinking, ...levels]))
  })

  it('every part, call and response', () => {
    const call = membersOf('interface', 'FunctionCall').map((name) => `functionCall.${name}`)
    const response = membersOf('class', 'FunctionResponse').map((name) => `functionResponse.${name}`)
    expect(names(parts)).toEqual(expect.arrayContaining([...membersOf('interface', 'Part'), ...call, ...response]))
  })

  it('every tool and choice', () => {
    const declared = membersOf('interface', 'FunctionDeclaration').map((name) => `functionDeclarations[].${name}`)
    const config = membersOf('interface', 'ToolConfig')
      .filter((name) => name !== 'functionCallingConfig')
      .map((name) => `toolConfig.${name}`)
    const calling = membersOf('interface', 'FunctionCallingConfig').filter((name) => name !== 'mode')
    const modes = membersOf('enum', 'FunctionCallingConfigMode').map((mode) => `mode: ${mode}`)
    const all = [...calling, ...modes].map((name) => `toolConfig.functionCallingConfig.${name}`)
    const wanted = [...membersOf('interface', 'Tool'), ...declared, ...config, ...all]
    expect(names(tools)).toEqual(expect.arrayContaining(wanted))
  })

  it('nothing twice, and no finish reason that the package does not know', () => {
    for (const rows of [fields, settings, parts, tools, replies]) expect(names(rows)).toEqual([...new Set(names(rows))])
    const reasons = names(replies).flatMap((name) => /^finishReason: (.*)/.exec(name)?.[1] ?? [])
    expect(membersOf('enum', 'FinishReason')).toEqual(expect.arrayContaining(reasons))
    expect(reasons).toHaveLength(4)
  })
})

const declaration = { name: 'find', parameters: { type: 'OBJECT' } }
const asked = { role: 'user', parts: [{ text: 'Hi' }] }
const call = { role: 'model', parts: [{ functionCall: { name: 'find', args: {} } }] }
const base = { contents: [asked], tools: [{ functionDeclarations: [declaration] }] }

/** Values of fields that are not texts. */
const values: Record<string, unknown> = {
  ...{ tools: [{ functionDeclarations: [{ name: 'other' }] }], systemInstruction: { parts: [{ text: 'Be brief.' }] } },
  ...{ toolConfig: { functionCallingConfig: { mode: 'ANY' } }, generationConfig: { seed: 1 } },
  ...{ contents: [{ parts: [{ text: 'Other' }] }], safetySettings: [{}], store: true, labels: { a: 'b' } },
  ...{ temperature: 0.5, topP: 0.5, topK: '3', seed: 3, presencePenalty: 1, frequencyPenalty: 1 },
  ...{ maxOutputTokens: 9, candidateCount: 2, stopSequences: ['END'], responseMimeType: 'application/json' },
  ...{ responseSchema: { type: 'OBJECT' }, responseJsonSchema: { type: 'object' }, responseModalities: ['IMAGE'] },
  ...{ includeThoughts: true, thinkingBudget: 100, thinkingLevel: 'LOW' },
  ...{ text: 'words', thought: true, inlineData: { mimeType: 'image/png', data: 'AAAA' } },
  ...{ fileData: { mimeType: 'image/png', fileUri: 'https://example.org/a.png' } },
  ...{ functionCall: { name: 'find' }, functionResponse: { name: 'find', response: {} } },
  ...{ parameters: { type: 'STRING' }, parametersJsonSchema: { type: 'string' }, allowedFunctionNames: ['find'] },
}

/** An object with a value at a path of members. */
const at = (path: string[], value: unknown): JsonObject => {
  const [first = '', ...rest] = path
  return { [first]: rest.length === 0 ? value : at(rest, value) }
}

const valueFor = (name: string): unknown => values[name] ?? 'x'

/** A request with what a row names, and one without. */
function sampleOf({ name }: TableRow, kind: string): Sample {
  const [path = '', chosen] = name.split(': ')
  const members = path.split('.')
  const last = members.at(-1) ?? ''
  const value = chosen ?? valueFor(last)
  if (kind === 'field') return { present: { ...base, ...at(members, value) }, absent: base }
  if (kind === 'part') return partSample(members, value)
  if (path.startsWith('toolConfig')) return { present: { ...base, ...at(members, value) }, absent: base }
  const declared = path.startsWith('functionDeclarations[].')
  const tool = declared ? { functionDeclarations: [{ ...declaration, [last]: value }] } : { [path]: {} }
  if (path === 'functionDeclarations') return { present: base, absent: { contents: base.contents } }
  return { present: { ...base, tools: declared ? [tool] : [...base.tools, tool] }, absent: base }
}

interface Sample {
  present: JsonObject
  absent: JsonObject
}

const withContents = (...contents: unknown[]): JsonObject => ({ ...base, contents })
const respond = (...responses: JsonObject[]): JsonObject => ({
  role: 'user',
  parts: responses.map((functionResponse) => ({ functionResponse })),
})
const calling = (...calls: JsonObject[]): JsonObject => ({
  role: 'model',
  parts: calls.map((functionCall) => ({ functionCall })),
})
const find = { name: 'find', response: {} }

function callSample(member: string | undefined, value: unknown): Sample {
  if (member === undefined) return { present: withContents(asked, call, respond(find)), absent: base }
  const changed = { name: 'find', args: {}, [member]: member === 'args' ? { a: 1 } : value }
  const response = { name: changed.name, response: {} }
  return {
    present: withContents(asked, calling(changed), respond(response)),
    absent: withContents(asked, call, respond(find)),
  }
}

function responseSample(member: string | undefined, value: unknown): Sample {
  const absent = withContents(asked, call, respond(find))
  if (member === undefined) return { present: absent, absent: base }
  if (member === 'id' || member === 'name') {
    // Which call a response belongs to is seen with two of them.
    const calls = calling(...['a', 'b'].map((id) => ({ id, name: `f${member === 'id' ? '' : id}` })))
    const responses = (order: string[]) =>
      order.map((id, index) => ({
        ...(member === 'id' && { id }),
        name: `f${member === 'id' ? '' : id}`,
        response: { output: String(index) },
      }))
    return {
      present: withContents(asked, calls, respond(...responses(['b', 'a']))),
      absent: withContents(asked, calls, respond(...responses(['a', 'b']))),
    }
  }
  const given = member === 'response' ? { output: 'words' } : member === 'parts' ? [{ text: 'words' }] : value
  return { present: withContents(asked, call, respond({ ...find, [member]: given })), absent }
}

/** Parts that have their content in a member of their own. */
const notes = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'audioTranscription']

function partSample([kind = '', member]: string[], value: unknown): Sample {
  if (kind === 'functionCall') return callSample(member, value)
  if (kind === 'functionResponse') return responseSample(member, value)
  if (kind === 'thought') {
    const turn = (...more: unknown[]) => withContents(asked, { role: 'model', parts: [{ text: 'a' }, ...more] })
    return { present: turn({ text: 'Hm', thought: true }), absent: turn() }
  }
  const content = (...more: unknown[]) => withContents({ parts: [{ text: 'First' }, ...more] })
  if (notes.includes(kind)) return { present: content({ [kind]: { a: 1 } }), absent: content() }
  if (['text', 'inlineData', 'fileData'].includes(kind))
    return { present: content({ [kind]: value }), absent: content() }
  return { present: content({ text: 'Hi', [kind]: { a: 1 } }), absent: content({ text: 'Hi' }) }
}

function outcomeOf(body: JsonObject): { sent: string; ignored: string[] } | { refused: string | null } {
  try {
    const { chat, ignored, context } = geminiDialect.translate(body, { model: 'm', stream: false, events: true })
    return { sent: JSON.stringify([chat, context]), ignored }
  } catch (thrown) {
    if (thrown instanceof DialectError) return { refused: thrown.problem.param }
    throw thrown
  }
}

const rows = [
  ...[...fields, ...settings].map((row) => ({ ...row, kind: 'field' })),
  ...parts.map((row) => ({ ...row, kind: 'part' })),
  ...tools.map((row) => ({ ...row, kind: 'tool' })),
]

describe('the tables are true', () => {
  it.each(rows)('$name is $result', ({ kind, ...row }) => {
    const sample = sampleOf(row, kind)
    const [present, absent] = [outcomeOf(sample.present), outcomeOf(sample.absent)]
    if ('refused' in absent) throw new Error(`The request without ${row.name} was refused at ${absent.refused}.`)
    if (row.result === 'refused') {
      expect(present).toEqual({ refused: row.name })
      return
    }
    if ('refused' in present) throw new Error(`The request was refused at ${present.refused}.`)
    expect(present.ignored.filter((each) => !absent.ignored.includes(each))).toEqual(
      row.trace === '' ? [] : [row.trace],
    )
    if (row.result === 'ignored') expect(present.sent).toBe(absent.sent)
    // An allowed function of one, or a schema without a type, says nothing new.
    else if (!row.name.endsWith('allowedFunctionNames')) expect(present.sent).not.toBe(absent.sent)
  })
})
