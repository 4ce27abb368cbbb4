import { showFull } from '../../../i18n/format.ts'
import { i18n } from '../../../i18n/index.ts'
import { type ExportedMessage, loadPicture, versionsOf } from './conversation.ts'
import { authorOf, type ExportTask, endOf, factsOf, titleOf } from './labels.ts'
import { blocksOf, codeMarkup, escaped, markupOf } from './markup.ts'
import { inSlices } from './slices.ts'

const t = i18n.getFixedT(null, 'exporting')

/**
 * The body of a document with the messages, as well-formed XHTML without scripts, styles and other files. Images are embedded.
 * Works in short slices, so that the page stays responsive.
 */
export async function markupDocument(task: ExportTask): Promise<string> {
  const { conversation, messages, signal, onProgress } = task
  const pause = inSlices(signal)
  const versionOf = versionsOf(conversation)
  const parts = [
    `<h1 dir="auto">${escaped(titleOf(conversation))}</h1><p class="facts">${escaped(factsOf(conversation))}</p>`,
  ]
  if (conversation.instructions !== '') {
    parts.push(
      `<article><div class="who"><h2>${escaped(t('instructions'))}</h2></div>${typed(conversation.instructions)}</article>`,
    )
  }
  for (const [index, message] of messages.entries()) {
    const version = versionOf(message)
    const facts = [
      showFull(message.createdAt),
      ...(version === null ? [] : [t('version', { at: version.at, of: version.of })]),
    ]
    parts.push(
      `<article><div class="who"><h2>${escaped(authorOf(message))}</h2>${facts.map((fact) => `<span>${escaped(fact)}</span>`).join('')}</div>`,
    )
    await writeBody(message, task, parts, pause)
    parts.push('</article>')
    onProgress(index + 1)
    await pause()
  }
  return parts.join('')
}

async function writeBody(
  message: ExportedMessage,
  { reasoning, signal }: ExportTask,
  parts: string[],
  pause: () => Promise<void>,
): Promise<void> {
  const markdown = async (text: string): Promise<void> => {
    for (const block of blocksOf(text)) {
      parts.push(markupOf(block))
      await pause()
    }
  }
  if (reasoning && message.reasoning !== '') {
    parts.push(`<div class="reasoning"><p><strong>${escaped(t('reasoning'))}</strong></p>`)
    await markdown(message.reasoning)
    parts.push('</div>')
  }
  for (const { mediaId, mime, name, width, height } of message.attachments) {
    const picture = await loadPicture(mediaId, mime, signal)
    const alt = escaped(name ?? t('image'))
    parts.push(
      picture
        ? `<img src="${picture.address}" alt="${alt}" width="${Number(width)}" height="${Number(height)}"/>`
        : `<p class="picture">${alt}</p>`,
    )
  }
  for (const { name } of message.documents) parts.push(`<p class="picture">${escaped(t('document', { name }))}</p>`)
  if (message.run) {
    const { name, arguments: given, state } = message.run
    parts.push(
      `<p class="end">${escaped(t('called', { name, state: state.replaceAll('_', ' ') }))}</p>`,
      codeMarkup(given, 'json'),
    )
    if (message.text !== '') parts.push(codeMarkup(message.text, ''))
  } else if (message.role === 'assistant') await markdown(message.text)
  else if (message.text !== '') parts.push(typed(message.text))
  if (message.refusal !== '') parts.push(`<p class="end">${escaped(t('refused'))}</p>`, typed(message.refusal))
  for (const { name, arguments: given } of message.toolCalls) {
    parts.push(`<p class="end">${escaped(t('calls', { name }))}</p>`, codeMarkup(given, 'json'))
  }
  const end = endOf(message)
  if (end !== null) parts.push(`<p class="end">${escaped(end)}</p>`)
}

/** Text as typed, never as Markdown. */
const typed = (text: string): string => `<div class="typed" dir="auto">${escaped(text)}</div>`
