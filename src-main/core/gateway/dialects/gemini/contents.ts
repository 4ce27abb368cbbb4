import { isUtf8 } from 'node:buffer'
import { isFields } from '../../../upstream/json/values.ts'
import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { hasValue, type IgnoredFields, name, object, optionalText, text } from '../fields.ts'
import type { RequestFiles } from '../requestFiles.ts'
import type { JsonObject } from '../types.ts'
import { elements, members } from './members.ts'
import type { DeclaredTools } from './tools.ts'
import { type SentCall, Turns } from './turns.ts'

const contentFields = new Set(['role', 'parts'])
/** Members of a part that have its content. A part has one of them. */
const dataFields = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'] as const
const partFields: ReadonlySet<string> = new Set([...dataFields, 'thought'])

/** Translates `systemInstruction` and `contents`. @throws DialectError */
export function chatMessages(
  body: JsonObject,
  tools: DeclaredTools,
  files: RequestFiles,
  ignored: IgnoredFields,
): ChatMessage[] {
  const contents = elements(body.contents)
  const reader = new ContentReader(tools, files, ignored)
  reader.instructions(body.systemInstruction)
  const loopStart = contents.findLastIndex(isOfPerson)
  for (const [index, content] of contents.entries()) reader.content(content, `contents[${index}]`, index > loopStart)
  return reader.turns.finish()
}

/** Whether a content begins a turn of a person. One with responses of functions continues the running tool loop. */
function isOfPerson(content: unknown): boolean {
  if (!isFields(content) || content.role === 'model' || content.role === 'function') return false
  return !elements(content.parts).some(
    (part) => isFields(part) && (hasValue(part.functionResponse) || hasValue(part.function_response)),
  )
}

class ContentReader {
  readonly turns = new Turns()
  readonly #tools: DeclaredTools
  readonly #files: RequestFiles
  readonly #ignored: IgnoredFields

  constructor(tools: DeclaredTools, files: RequestFiles, ignored: IgnoredFields) {
    this.#tools = tools
    this.#files = files
    this.#ignored = ignored
  }

  /** A text, or a content whose parts are texts. Its role means nothing. */
  instructions(value: unknown): void {
    if (value === undefined || value === null) return
    const given = typeof value === 'string' ? { parts: [{ text: value }] } : members(value, 'systemInstruction')
    const texts = elements(given.parts).flatMap((part, index) => {
      const parts = this.#partsOf(
        members(part, `systemInstruction.parts[${index}]`),
        `systemInstruction.parts[${index}]`,
      )
      return parts.flatMap(({ text: words }) => words ?? [])
    })
    this.turns.addInstructions(texts.join('\n\n'))
  }

  /** @param isInLoop whether the content is part of the running tool loop, whose thoughts are sent */
  content(value: unknown, path: string, isInLoop: boolean): void {
    const content = members(value, path)
    this.#ignored.addUnknown(content, contentFields, 'contents')
    const role = optionalText(content.role, `${path}.role`) ?? 'user'
    const parts = elements(content.parts).map((part, index) => {
      const at = `${path}.parts[${index}]`
      return { part: members(part, at), at }
    })
    // `function` is the older role of responses.
    if (role === 'user' || role === 'function') this.#user(parts)
    else if (role === 'model') this.#model(parts, isInLoop)
    else throw new DialectError(`${path}.role`, 'The role must be user or model.')
  }

  #user(parts: readonly { part: JsonObject; at: string }[]): void {
    const own: ContentPart[] = []
    for (const { part, at } of parts) {
      if (hasValue(part.functionResponse)) this.#result(part.functionResponse, `${at}.functionResponse`)
      else for (const one of this.#partsOf(part, at)) own.push(one)
    }
    this.turns.addUser(own.filter(({ text: words }) => words !== ''))
  }

  #model(parts: readonly { part: JsonObject; at: string }[], isInLoop: boolean): void {
    let words = ''
    let thoughts = ''
    const calls: SentCall[] = []
    for (const { part, at } of parts) {
      if (hasValue(part.functionCall)) calls.push(this.#call(part.functionCall, `${at}.functionCall`))
      // The thoughts of an earlier reply are no part of what the model said.
      else if (part.thought === true && isInLoop) thoughts += optionalText(part.text, `${at}.text`) ?? ''
      else if (part.thought === true) this.#ignored.add('contents.thought')
      else for (const one of this.#partsOf(part, at)) words += one.text ?? ''
      this.#ignored.addUnknown(part, partFields, 'contents')
    }
    this.turns.addModel(words, calls, thoughts)
  }

  #call(value: unknown, path: string): SentCall {
    const call = members(value, path)
    this.#ignored.addUnknown(call, new Set(['id', 'name', 'args']), 'contents.functionCall')
    const args = call.args ?? {}
    return {
      id: optionalText(call.id, `${path}.id`),
      name: this.#tools.nameOf(name(call.name, `${path}.name`)),
      arguments: JSON.stringify(object(args, `${path}.args`)),
      path,
    }
  }

  #result(value: unknown, path: string): void {
    const result = members(value, path)
    this.#ignored.addUnknown(result, new Set(['id', 'name', 'response', 'parts']), 'contents.functionResponse')
    const texts = [outputOf(result.response)]
    const images: ContentPart[] = []
    for (const [index, part] of elements(result.parts).entries()) {
      const at = `${path}.parts[${index}]`
      for (const one of this.#partsOf(members(part, at), at)) {
        if (one.image_url === undefined) texts.push(one.text ?? '')
        else {
          images.push(one)
          texts.push(`(Image ${images.length} of this result is in the next user message.)`)
        }
      }
    }
    this.turns.addResult({
      id: optionalText(result.id, `${path}.id`),
      name: this.#tools.nameOf(name(result.name, `${path}.name`)),
      text: texts.filter((one) => one !== '').join('\n'),
      images,
      path,
    })
  }

  /** The content of a part that a chat message can have. What it can't have becomes a note, so that the model knows of it. */
  #partsOf(part: JsonObject, path: string): ContentPart[] {
    this.#ignored.addUnknown(part, partFields, 'contents')
    if (typeof part.text === 'string') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    if (hasValue(part.inlineData))
      return [this.#inlineData(members(part.inlineData, `${path}.inlineData`), `${path}.inlineData`)]
    if (hasValue(part.fileData)) return [this.#fileData(members(part.fileData, `${path}.fileData`), `${path}.fileData`)]
    const unknown = Object.keys(part).filter((key) => key !== 'thought' && hasValue(part[key]))
    return unknown.length === 0 ? [] : [this.#note(`contents.${unknown[0]}`, `A part with ${unknown[0]?.slice(0, 60)}`)]
  }

  #inlineData({ mimeType, data, displayName }: JsonObject, path: string): ContentPart {
    const type = text(mimeType, `${path}.mimeType`).toLowerCase()
    const encoded = text(data, `${path}.data`)
    if (/^image\/[\w.+-]{1,64}$/.test(type)) {
      return { type: 'image_url', image_url: { url: `data:${type};base64,${standardBase64(encoded)}` } }
    }
    const bytes = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript)\b)/.test(type)
      ? Buffer.from(encoded, 'base64')
      : null
    if (bytes !== null && isUtf8(bytes)) return { type: 'text', text: bytes.toString('utf8') }
    if (/^(?:audio|video)\//.test(type))
      return this.#note('contents.inlineData', `A file of the type ${type.slice(0, 100)}`)
    const file = {
      base64: standardBase64(encoded),
      mediaType: type,
      name: optionalText(displayName, `${path}.displayName`) ?? '',
    }
    const { text: content, isRead } = this.#files.text(file)
    if (!isRead) this.#ignored.add('contents.inlineData')
    return { type: 'text', text: content }
  }

  /** Files at the vendor can't be read from here. An image at a public address can be. */
  #fileData({ mimeType, fileUri }: JsonObject, path: string): ContentPart {
    const address = text(fileUri, `${path}.fileUri`)
    const isImage = /^image\//i.test(optionalText(mimeType, `${path}.mimeType`) ?? '')
    const url = URL.parse(address)
    const isPublic = url !== null && /^https?:$/.test(url.protocol) && !/(?:^|\.)googleapis\.com$/.test(url.hostname)
    if (isImage && isPublic) return { type: 'image_url', image_url: { url: address } }
    return this.#note('contents.fileData', 'A file that is not in the request')
  }

  #note(field: string, what: string): ContentPart {
    this.#ignored.add(field)
    return { type: 'text', text: `[${what} was left out, because the service accepts only text and images.]` }
  }
}

/** This API also accepts the alphabet for addresses. Data URLs have the usual one. */
const standardBase64 = (data: string): string => data.replaceAll('-', '+').replaceAll('_', '/')

/** The response of a function as a text. `output` and `error` are the members that the API documents for a result and a failure. */
function outputOf(response: unknown): string {
  if (!isFields(response)) return response === undefined || response === null ? '' : JSON.stringify(response)
  const [key, ...more] = Object.keys(response)
  const value = key === undefined ? undefined : response[key]
  if (more.length > 0 || typeof value !== 'string') return JSON.stringify(response)
  if (key === 'error') return `The tool reported an error:\n${value}`
  return key === 'output' ? value : JSON.stringify(response)
}
