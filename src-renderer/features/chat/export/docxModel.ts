import type { PhrasingContent, RootContent } from 'mdast'
import { joinFacts, showFull } from '../../../i18n/format.ts'
import { i18n } from '../../../i18n/index.ts'
import { safeAddress } from '../../../shared/markdown/address.ts'
import { blocksInSteps } from '../../../shared/markdown/blocks.ts'
import { partsOf } from '../../../shared/markdown/joinedBlocks.ts'
import { textOf } from '../../../shared/markdown/nodeText.ts'
import { inSlices } from '../slices.ts'
import { type ExportedMessage, loadPicture } from './conversation.ts'
import { authorOf, continuesReply, documentTextOf, type ExportTask, endOf, factsOf, titleOf } from './labels.ts'

/** Text of one format. */
export interface DocxRun {
  text: string
  bold?: boolean
  italics?: boolean
  strike?: boolean
  code?: boolean
  superscript?: boolean
  /** Whether the text is the TeX of a formula. */
  formula?: boolean
  /** http, https or mailto. */
  link?: string
}

/** Blocks of a DOCX file, as plain data for the worker that writes it. */
export type DocxBlock =
  | { kind: 'heading'; level: number; runs: DocxRun[] }
  | { kind: 'paragraph'; runs: DocxRun[]; look: 'normal' | 'facts' | 'quote'; indent: number }
  /** `list`: number of the ordered list in the document, or null for bullets. */
  | { kind: 'item'; runs: DocxRun[]; level: number; list: number | null }
  | { kind: 'code'; text: string }
  | { kind: 'formula'; tex: string }
  | { kind: 'table'; rows: DocxRun[][][] }
  | { kind: 'picture'; blob: Blob; name: string; width: number; height: number }
  | { kind: 'rule' }

/** Word's lists have nine levels. */
const maxLevel = 8
const deepest = 24

type Format = Omit<DocxRun, 'text'>
interface Place {
  indent: number
  level: number
  look: 'normal' | 'quote'
  depth: number
}

/** The blocks of a DOCX file with the messages. Works in short slices, so that the page stays responsive. */
export async function docxBlocks(task: ExportTask): Promise<DocxBlock[]> {
  const { conversation, messages, versionOf, signal, onProgress } = task
  const t = i18n.getFixedT(null, 'exporting')
  const pause = inSlices(signal)
  const writer = new Writer()
  writer.add({ kind: 'heading', level: 1, runs: plain(titleOf(conversation)) })
  writer.facts(factsOf(conversation))
  if (conversation.instructions !== '') {
    writer.add({ kind: 'heading', level: 2, runs: plain(t('instructions')) })
    await writer.typed(conversation.instructions, pause)
  }
  for (const [index, message] of messages.entries()) {
    const version = versionOf(message)
    const continues = continuesReply(message, messages[index - 1], version)
    if (!continues) {
      writer.add({ kind: 'heading', level: 2, runs: plain(authorOf(message)) })
      writer.facts(
        joinFacts([showFull(message.createdAt), version && t('version', { at: version.at, of: version.of })]),
      )
    }
    // The request to continue is this program's own text.
    if (!continues || message.made !== 'continue') await writeMessage(writer, message, task, pause)
    onProgress(index + 1)
    await pause()
  }
  return writer.blocks
}

async function writeMessage(
  writer: Writer,
  message: ExportedMessage,
  task: ExportTask,
  pause: () => Promise<void>,
): Promise<void> {
  const { reasoning, signal } = task
  const t = i18n.getFixedT(null, 'exporting')
  if (reasoning && message.reasoning !== '') {
    writer.facts(t('reasoning'))
    await writer.markdown(message.reasoning, 'quote', pause)
  }
  for (const { mediaId, mime, name, width, height } of message.attachments) {
    const picture = await loadPicture(mediaId, mime, signal)
    if (picture) writer.add({ kind: 'picture', blob: picture.blob, name: name ?? t('image'), width, height })
    else writer.facts(name ?? t('image'))
  }
  await writeFiles(writer, message, task, pause)
  if (message.run) {
    writer.facts(t(`called.${message.run.state}`, { name: message.run.name }))
    writer.add({ kind: 'code', text: message.run.arguments })
    if (message.text !== '') writer.add({ kind: 'code', text: message.text })
  } else if (message.role === 'assistant') await writer.markdown(message.text, 'normal', pause)
  else await writer.typed(message.text, pause)
  if (message.refusal !== '') {
    writer.facts(t('refused'))
    await writer.typed(message.refusal, pause)
  }
  for (const { name, arguments: given } of message.toolCalls) {
    writer.facts(t('calls', { name }))
    writer.add({ kind: 'code', text: given })
  }
  const end = endOf(message)
  if (end !== null) writer.facts(end)
}

async function writeFiles(
  writer: Writer,
  { documents }: ExportedMessage,
  task: ExportTask,
  pause: () => Promise<void>,
): Promise<void> {
  for (const document of documents) {
    writer.facts(i18n.t('exporting:document', { name: document.name }))
    const found = documentTextOf(task, document)
    if (found?.isText) await writer.typed(found.text, pause, 'quote')
    else if (found) writer.facts(found.text)
  }
}

const plain = (text: string): DocxRun[] => [{ text }]

class Writer {
  readonly blocks: DocxBlock[] = []
  #lists = 0

  add(block: DocxBlock): void {
    this.blocks.push(block)
  }

  facts(text: string): void {
    this.add({ kind: 'paragraph', runs: plain(text), look: 'facts', indent: 0 })
  }

  /** Text as typed, never as Markdown. */
  async typed(text: string, pause: () => Promise<void>, look: 'normal' | 'quote' = 'normal'): Promise<void> {
    for (const [at, line] of text.split('\n').entries()) {
      this.add({ kind: 'paragraph', runs: plain(line), look, indent: look === 'quote' ? 1 : 0 })
      if (at % 100 === 99) await pause()
    }
  }

  async markdown(text: string, look: 'normal' | 'quote', pause: () => Promise<void>): Promise<void> {
    const splitting = blocksInSteps(text)
    let step = splitting.next()
    for (; !step.done; step = splitting.next()) await pause()
    const place = { indent: look === 'quote' ? 1 : 0, level: 0, look, depth: 0 }
    for (const { block, nodes, definitions, joint } of partsOf(step.value)) {
      const urlOf = (identifier: string): string => definitions.get(identifier)?.url ?? ''
      if (block.kind !== 'flow') this.add({ kind: 'code', text: block.pieces.join('') })
      else if (joint === null) this.#nodes(nodes, place, urlOf)
      else {
        this.#goOn(nodes[0], joint, urlOf)
        this.#nodes(nodes.slice(1), place, urlOf)
      }
      await pause()
    }
  }

  /** Adds a node to the table or paragraph that it continues. */
  #goOn(node: RootContent | undefined, joint: string, urlOf: (identifier: string) => string): void {
    const last = this.blocks.at(-1)
    if (node?.type === 'table' && last?.kind === 'table')
      for (const row of node.children) last.rows.push(row.children.map((cell) => runsOf(cell.children, {}, urlOf)))
    if (node?.type === 'paragraph' && last?.kind === 'paragraph') {
      if (joint !== '') last.runs.push({ text: joint })
      for (const run of runsOf(node.children, {}, urlOf)) last.runs.push(run)
    }
  }

  #nodes(nodes: readonly RootContent[], place: Place, urlOf: (identifier: string) => string): void {
    for (const node of nodes) this.#node(node, { ...place, depth: place.depth + 1 }, urlOf)
  }

  #node(node: RootContent, place: Place, urlOf: (identifier: string) => string): void {
    const { indent, look } = place
    const paragraph = (runs: DocxRun[]): void => this.add({ kind: 'paragraph', runs, look, indent })
    if (place.depth > deepest) {
      paragraph(plain(textOf(node)))
      return
    }
    switch (node.type) {
      case 'paragraph':
        paragraph(runsOf(node.children, {}, urlOf))
        break
      case 'heading':
        this.add({ kind: 'heading', level: Math.min(6, node.depth + 2), runs: runsOf(node.children, {}, urlOf) })
        break
      case 'code':
        this.add({ kind: 'code', text: node.value })
        break
      case 'thematicBreak':
        this.add({ kind: 'rule' })
        break
      case 'blockquote':
        this.#nodes(node.children, { ...place, indent: indent + 1, look: 'quote' }, urlOf)
        break
      case 'footnoteDefinition':
        paragraph([{ text: node.label ?? node.identifier, superscript: true }])
        this.#nodes(node.children, place, urlOf)
        break
      case 'list':
        this.#list(node, place, urlOf)
        break
      case 'table':
        this.add({
          kind: 'table',
          rows: node.children.map((row) => row.children.map((cell) => runsOf(cell.children, {}, urlOf))),
        })
        break
      case 'definition':
      case 'yaml':
        break
      case 'formula':
        this.add({ kind: 'formula', tex: node.tex })
        break
      default:
        paragraph(plain(textOf(node)))
        break
    }
  }

  #list(node: Extract<RootContent, { type: 'list' }>, place: Place, urlOf: (identifier: string) => string): void {
    if (node.ordered) this.#lists += 1
    const list = node.ordered ? this.#lists : null
    const level = Math.min(maxLevel, place.level)
    for (const item of node.children) {
      const isTask = typeof item.checked === 'boolean'
      const [first, ...rest] = item.children
      const isText = first?.type === 'paragraph'
      const runs = isText ? runsOf(first.children, {}, urlOf) : []
      if (!isTask) this.add({ kind: 'item', level, list, runs })
      else {
        const marked = [{ text: item.checked === true ? '☑ ' : '☐ ' }, ...runs]
        this.add({ kind: 'paragraph', runs: marked, look: 'normal', indent: level + 1 })
      }
      this.#nodes(isText ? rest : item.children, { ...place, level: level + 1, indent: place.indent + 1 }, urlOf)
    }
  }
}

function runsOf(nodes: readonly PhrasingContent[], format: Format, urlOf: (identifier: string) => string): DocxRun[] {
  return nodes.flatMap((node): DocxRun[] => {
    switch (node.type) {
      case 'strong':
        return runsOf(node.children, { ...format, bold: true }, urlOf)
      case 'emphasis':
        return runsOf(node.children, { ...format, italics: true }, urlOf)
      case 'delete':
        return runsOf(node.children, { ...format, strike: true }, urlOf)
      case 'inlineCode':
        return [{ ...format, text: node.value, code: true }]
      case 'formula':
        return [{ ...format, text: node.tex, formula: true }]
      case 'break':
        return [{ ...format, text: '\n' }]
      case 'link':
        return linked(node.url, runsOf(node.children, format, urlOf))
      case 'linkReference':
        return linked(urlOf(node.identifier), runsOf(node.children, format, urlOf))
      case 'image':
      case 'imageReference':
        return [{ ...format, text: node.alt ?? '', italics: true }]
      case 'footnoteReference':
        return [{ ...format, text: node.label ?? node.identifier, superscript: true }]
      default:
        return [{ ...format, text: textOf(node) }]
    }
  })
}

function linked(url: string, runs: DocxRun[]): DocxRun[] {
  const link = safeAddress(url)
  return link === null ? runs : runs.map((run) => ({ ...run, link }))
}
