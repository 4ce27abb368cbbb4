import { showFull } from '../../../i18n/format.ts'
import { i18n } from '../../../i18n/index.ts'
import { blocksInSteps } from '../../../shared/markdown/blocks.ts'
import { inSlices } from '../slices.ts'
import { type ExportedMessage, loadPicture, pageAddress } from './conversation.ts'
import { authorOf, continuesReply, documentTextOf, type ExportTask, endOf, factsOf, titleOf } from './labels.ts'
import { codeMarkup, escaped, markupOf, stepsOf } from './markup.ts'

const t = i18n.getFixedT(null, 'exporting')

/** The content of a document. */
export type MarkupTask = Omit<ExportTask, 'signal' | 'onProgress'>
type PictureAddress = (picture: ExportedMessage['attachments'][number]) => string | null

/**
 * The body of a document with the messages, as well-formed XHTML without scripts and styles. Works in short slices, so that the page stays
 * responsive. Its images are in it, so that a file needs no other file.
 * @throws the signal's reason; TypeError when an image can't be read because the connection is lost
 */
export async function markupDocument(task: ExportTask): Promise<string> {
  const parts: string[] = []
  await write(task, await embedded(task), (part) => parts.push(part))
  return parts.join('')
}

/** Markup that is parsed at once, characters. It takes about 1 ms. */
const parsedAtOnce = 16_000

/**
 * The same document as nodes for this page, with linked images. They are parsed while they are written: parsing a message of 1 MB at once
 * would block the page for 80 ms. Until they are in the page, they load nothing and have no layout.
 * @throws the signal's reason
 */
export async function documentNodes(task: ExportTask): Promise<readonly Node[]> {
  const inert = document.implementation.createHTMLDocument()
  inert.write('<!doctype html><body>')
  let pending = ''
  await write(task, pageAddress, (part) => {
    pending += part
    if (pending.length < parsedAtOnce) return
    inert.write(pending)
    pending = ''
  })
  inert.write(pending)
  inert.close()
  return [...inert.body.childNodes]
}

async function write(task: ExportTask, addressOf: PictureAddress, take: (part: string) => void): Promise<void> {
  const { signal, onProgress } = task
  const pause = inSlices(signal)
  for (const part of markupSteps(task, addressOf)) {
    if (typeof part === 'string') take(part)
    else onProgress(part)
    await pause()
  }
}

/** The same nodes at once, for an event that waits for nothing. @param note one line above them */
export function nodesAtOnce(task: MarkupTask, note: string | null = null): readonly Node[] {
  const parts = note === null ? [] : [`<p class="note">${escaped(note)}</p>`]
  for (const part of markupSteps(task, pageAddress)) if (typeof part === 'string') parts.push(part)
  const parsed = new DOMParser().parseFromString(`<body>${parts.join('')}</body>`, 'text/html')
  return [...parsed.body.childNodes]
}

async function embedded({ messages, signal }: ExportTask): Promise<PictureAddress> {
  const addresses = new Map<string, string>()
  for (const { mediaId, mime } of messages.flatMap(({ attachments }) => attachments)) {
    const picture = addresses.has(mediaId) ? null : await loadPicture(mediaId, mime, signal)
    if (picture) addresses.set(mediaId, picture.address)
  }
  return ({ mediaId }) => addresses.get(mediaId) ?? null
}

/** Yields the markup in quick steps, and the number of finished messages after each message. */
function* markupSteps(task: MarkupTask, addressOf: PictureAddress): Generator<string | number> {
  const { conversation, messages, versionOf } = task
  yield `<h1 dir="auto">${escaped(titleOf(conversation))}</h1><p class="facts">${escaped(factsOf(conversation))}</p>`
  if (conversation.instructions !== '') {
    yield `<article><div class="who"><h2>${escaped(t('instructions'))}</h2></div>`
    yield* typed(conversation.instructions)
    yield '</article>'
  }
  for (const [index, message] of messages.entries()) {
    const version = versionOf(message)
    const facts = [
      showFull(message.createdAt),
      ...(version === null ? [] : [t('version', { at: version.at, of: version.of })]),
    ]
    const continues = continuesReply(message, messages[index - 1], version)
    if (!continues) {
      if (index > 0) yield '</article>'
      yield `<article data-role="${message.role}"><div class="who"><h2>${escaped(authorOf(message))}</h2>${facts.map((fact) => `<span>${escaped(fact)}</span>`).join('')}</div>`
    }
    // The request to continue is this program's own text.
    if (!continues || message.made !== 'continue') yield* body(message, task, addressOf)
    yield index + 1
  }
  if (messages.length > 0) yield '</article>'
}

function* body(message: ExportedMessage, task: MarkupTask, addressOf: PictureAddress): Generator<string> {
  if (task.reasoning && message.reasoning !== '') {
    yield `<div class="reasoning"><p><strong>${escaped(t('reasoning'))}</strong></p>`
    yield* markdown(message.reasoning)
    yield '</div>'
  }
  for (const picture of message.attachments) {
    const address = addressOf(picture)
    const alt = escaped(picture.name ?? t('image'))
    yield address === null
      ? `<p class="picture">${alt}</p>`
      : `<img src="${escaped(address)}" alt="${alt}" width="${Number(picture.width)}" height="${Number(picture.height)}"/>`
  }
  yield* files(message, task)
  if (message.run) {
    const { name, arguments: given, state } = message.run
    yield `<p class="end">${escaped(t(`called.${state}`, { name }))}</p>`
    yield* codeMarkup(stepsOf(given), 'json')
    if (message.text !== '') yield* codeMarkup(stepsOf(message.text), '')
  } else if (message.role === 'assistant') yield* markdown(message.text)
  else if (message.text !== '') yield* typed(message.text)
  if (message.refusal !== '') {
    yield `<p class="end">${escaped(t('refused'))}</p>`
    yield* typed(message.refusal)
  }
  for (const { name, arguments: given } of message.toolCalls) {
    yield `<p class="end">${escaped(t('calls', { name }))}</p>`
    yield* codeMarkup(stepsOf(given), 'json')
  }
  const end = endOf(message)
  if (end !== null) yield `<p class="end">${escaped(end)}</p>`
}

function* files({ documents }: ExportedMessage, task: MarkupTask): Generator<string> {
  for (const document of documents) {
    yield `<p class="picture">${escaped(t('document', { name: document.name }))}</p>`
    const found = documentTextOf(task, document)
    if (found?.isText) yield* typed(found.text, 'attached')
    else if (found) yield `<p class="end">${escaped(found.text)}</p>`
  }
}

function* markdown(text: string): Generator<string> {
  yield* markupOf(yield* blocksInSteps(text))
}

/** Text as typed, never as Markdown. */
function* typed(text: string, more = ''): Generator<string> {
  yield `<div class="${`typed ${more}`.trim()}" dir="auto">`
  for (const part of stepsOf(text)) yield escaped(part)
  yield '</div>'
}
