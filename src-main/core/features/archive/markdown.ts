import { isPartOfReply } from '../../../../src-preload/contract/chat.ts'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import type { Words } from '../../../../src-renderer/i18n/host.ts'
import type { ArchivedConversation, ArchivedMessage } from '../../store/archive.ts'
import type { DocumentPart } from '../../store/documents.ts'

/** In UTC and in the order of ISO 8601, because a document travels. */
const minute = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`

type Translator = Pick<Words, 't'>

/** The beginning of the document: title, date, model and instructions. */
export function markdownHead({ title, model, createdAt, setup }: ArchivedConversation, { t }: Translator): string {
  const facts = [minute(createdAt), ...(model === null ? [] : [code(model)])]
  const head = `# ${oneLine(title ?? t('core:chat.untitled'))}\n\n${facts.join(' · ')}\n`
  return setup.instructions === ''
    ? head
    : `${head}\n## ${t('core:chat.instructions')}\n\n${closed(setup.instructions)}\n`
}

/**
 * Formats one message for readers: reasoning folded, tool calls and results in fences, images by name, documents folded with their
 * text, or by name when `textOf` is null. `before` is the message written before. A message that continues its reply has no heading.
 */
export function markdownMessage(
  message: ArchivedMessage,
  { t }: Translator,
  textOf: DocumentTexts | null,
  before: ArchivedMessage | null = null,
): string {
  const { role, status, problem } = message
  const continues = before !== null && message.parentId === before.id && isPartOfReply(message, before)
  // The request to continue is this program's own text.
  if (continues && message.made === 'continue') return ''
  const parts = continues ? [''] : [`\n## ${authorOf(message, t)}\n`]
  if (message.reasoning !== '') {
    parts.push(
      `<details><summary>${t('core:chat.reasoning')}</summary>\n\n${fenced(message.reasoning, 'text')}\n\n</details>\n`,
    )
  }
  for (const { name, width, height } of message.attachments) {
    const image = { name: code(name ?? t('core:chat.imageUnnamed')), width: String(width), height: String(height) }
    parts.push(`*${t('core:chat.image', image)}*\n`)
  }
  for (const document of message.documents) parts.push(documentPart(document, textOf, t))
  if (message.run) {
    const { name, arguments: given, state } = message.run
    parts.push(
      `*${t('core:chat.called', { tool: code(name), state: t(`core:chat.state.${state}`) })}*\n`,
      `${fenced(given, 'json')}\n`,
    )
    if (message.text !== '') parts.push(`${fenced(message.text, 'text')}\n`)
  } else if (message.text !== '') parts.push(`${closed(message.text)}\n`)
  if (message.refusal !== '') parts.push(`*${t('core:chat.refused')}*\n`, `${closed(message.refusal)}\n`)
  for (const { name, arguments: given } of message.toolCalls) {
    parts.push(`*${t('core:chat.calls', { tool: code(name) })}*\n`, `${fenced(given, 'json')}\n`)
  }
  const end = {
    complete: null,
    stopped: t('core:chat.stopped'),
    pending: null,
    streaming: null,
    incomplete: t('core:chat.incomplete'),
    failed: t('core:chat.failed'),
  }[status]
  if (end !== null && role !== 'tool') {
    parts.push(`*${problem ? t('core:chat.endedWith', { end, reason: oneLine(problem.message) }) : end}*\n`)
  }
  return parts.join('\n')
}

/** Author, model and time of a message. */
function authorOf({ role, name, model, createdAt }: ArchivedMessage, t: Words['t']): string {
  const heading = t(`core:chat.role.${role}`)
  const author = name === null ? heading : t('core:chat.author', { role: heading, name: oneLine(name) })
  return [author, ...(role === 'assistant' && model !== null ? [code(model)] : []), minute(createdAt)].join(' · ')
}

type DocumentTexts = (document: AttachedDocument) => readonly DocumentPart[]

function documentPart(document: AttachedDocument, textOf: DocumentTexts | null, t: Words['t']): string {
  const { pages, parts: count } = document
  const name = oneLine(document.name)
  const title =
    pages === null ? t('core:chat.document', { name }) : t('core:chat.documentPages', { name, pages, all: count })
  if (textOf === null) return `*${title}*\n`
  const text = textOf(document).map(({ label, text }) => (label === '' ? text : `[${label}]\n${text}`))
  return `<details><summary>${title.replaceAll('<', '&lt;')}</summary>\n\n${fenced(text.join('\n\n'), 'text')}\n\n</details>\n`
}

/** Length of the longest run of backticks. Not by spreading all runs: a long text has more than a call may have arguments. */
const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)

/** Wraps text in a fence that is longer than any fence inside it. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, longestRun(text))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`
}

/** Closes an open fence. Otherwise a truncated reply would absorb the following text (CommonMark 0.31.2, 4.5). */
function closed(text: string): string {
  let open: string | null = null
  for (const line of text.split('\n')) {
    const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (fence === undefined) continue
    if (open === null) {
      if (fence.startsWith('~') || !info.includes('`')) open = fence
    } else if (fence[0] === open[0] && fence.length >= open.length && info.trim() === '') open = null
  }
  return open === null ? text : `${text}\n${open}`
}

const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/([\\`*_[\]<>#|])/g, '\\$1')
    .trim()

function code(text: string): string {
  const plain = text.replaceAll(/\s+/gu, ' ')
  const longest = longestRun(plain)
  const ticks = '`'.repeat(longest + 1)
  return longest === 0 ? `${ticks}${plain}${ticks}` : `${ticks} ${plain} ${ticks}`
}
