import { taggedBlocks } from '../chat/blocks.ts'
import type { Brief, ReplyDraft } from '../chat/brief.ts'
import { describeImage } from '../chat/images.ts'
import { imagesOf, lastUserText, type SandboxChatRequest } from '../chat/request.ts'
import { callTools, hasCallsToMake } from '../chat/toolCaller.ts'
import { write } from '../chat/writer.ts'
import { type FilePassage, filePassages } from './files.ts'
import { foreignLanguage, inWordsOfTheGuide } from './languages.ts'
import { type GuidePassage, guideIndex, type Hit, helpLink, PassageIndex, searchWords } from './passages.ts'

/** A passage with less of the question than this is not an answer. */
const minCoverage = 0.5
/** A second passage is quoted if it fits nearly as well as the first one. */
const nearlyAsGood = 0.7
/** Longest quote, UTF-16 units. */
const maxQuote = 1_000
/** How much of a long message is the question, UTF-16 units from its end. */
const maxQuestion = 1_000
/** Images of a message that are described. */
const maxImages = 4

/** Answers from the guide of this product and from attached files, by quotes. Writes nothing else, and says so. */
export async function answerFromGuide(brief: Brief): Promise<ReplyDraft> {
  const { request } = brief
  const format = request.response_format?.type
  if (format === 'json_object' || format === 'json_schema') return write(brief)
  if (hasCallsToMake(request)) return callTools(brief)
  const question = questionOf(request)
  const foreign = foreignLanguage(question)
  const words = searchWords(foreign ? inWordsOfTheGuide(foreign, question) : withoutNames(question))
  const parts = [
    ...(foreign ? [foreign.englishOnly] : []),
    ...(await aboutImages(request)),
    ...answers(request, words, question),
    proposals(request, words),
  ]
  return { content: `${parts.join('\n\n')}\n` }
}

/** Text in quotation marks is a name, such as the title of a chat, if anything else remains. */
function withoutNames(question: string): string {
  const rest = question.replace(/“[^”]{1,200}”|"[^"]{1,200}"/g, ' ')
  return searchWords(rest).length > 0 ? rest : question
}

/** The person's own words, without attached files. */
function questionOf(request: SandboxChatRequest): string {
  const { rest } = taggedBlocks('passage', taggedBlocks('document', lastUserText(request)).rest)
  return rest.trim().slice(-maxQuestion)
}

function answers(request: SandboxChatRequest, words: string[], question: string): string[] {
  const files = answerFromFiles(request, words)
  if (files?.fits) return files.said
  const [best, ...others] = guideIndex().search(words)
  const fits = best !== undefined && best.coverage >= minCoverage
  // A question that comes with files is about them, unless the guide has all of it.
  if (files && (!fits || (files.now && best.coverage < 0.9))) return files.said
  if (fits) return fromGuide(best, others)
  if (imagesOf(request.messages.findLast(({ role }) => role === 'user')?.content).length > 0) return []
  return words.length === 0 ? [introduction] : [cannot(question, best)]
}

const introduction = `Hello! I am \`guide\`, the first model of the **sandbox**, a simulated service on this computer. I search, and quote what I find:

- how this program works, from [its guide](${helpLink('start', '')})
- what is in a file that you attach, with its page

I am not a language model. I cannot write, translate, calculate or summarise, and I know nothing else. For that, [connect your own service](${helpLink('start', 'connect-your-own-service')}).`

function cannot(question: string, near: Hit<GuidePassage> | undefined): string {
  const hint =
    near && near.coverage >= minCoverage / 2
      ? ` The nearest page is [${near.passage.title}](${linkTo(near.passage)}).`
      : ''
  const wanted = question.length > 80 ? 'That' : `“${question.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>]/g, '\\$&')}”`
  return `${wanted} is not answered in the guide of this program, and that is all I can quote.${hint}

I am a search, not a language model: I cannot write, translate, calculate or summarise. [Connect your own service](${helpLink('start', 'connect-your-own-service')}) for real answers. To see a long reply stream, choose \`writer-large\` under **More test models** in the list of models; its text is made up.`
}

const linkTo = ({ page, anchor }: GuidePassage): string => helpLink(page, anchor)

function fromGuide(best: Hit<GuidePassage>, others: Hit<GuidePassage>[]): string[] {
  const second = others.find(({ passage }) => passage.text !== best.passage.text)
  const quoted = second && second.score >= best.score * nearlyAsGood ? [best, second] : [best]
  return quoted.map(({ passage }, at) => {
    const again = at > 0 && linkTo(passage) === linkTo(best.passage)
    const source = again ? 'And from there:' : `From [${passage.title}](${linkTo(passage)}):`
    return `${source}\n\n${quote(passage.text.replace(/^- /, ''))}`
  })
}

/** `fits`: the files have enough of the question. `now`: a file came with the last message. */
function answerFromFiles(
  request: SandboxChatRequest,
  words: string[],
): { said: string[]; fits: boolean; now: boolean } | null {
  const { passages, cut } = filePassages(request.messages)
  const [first] = passages
  if (!first) return null
  const now =
    filePassages(request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user'))).passages
      .length > 0
  const limit = cut ? ['I searched only the beginning, because there is more text than I read at once.'] : []
  const index = new PassageIndex(passages)
  const hits = index.search(words.filter((word) => !aboutFiles.has(word)))
  index.close()
  const [best] = hits
  if (best && best.coverage >= minCoverage) {
    const fitting = hits.slice(0, 3).filter(({ score }) => score >= best.score * nearlyAsGood)
    return { said: [...fitting.map(({ passage }) => fromFile(passage)), ...limit], fits: true, now }
  }
  const names = [...new Set(passages.map(({ file }) => `**${plain(file)}**`))].slice(0, 5).join(', ')
  const nothing = words.every((word) => aboutFiles.has(word))
    ? `I can quote from ${names}, but not summarise. It begins like this:`
    : `I found nothing about that in ${names}. It begins like this:`
  return { said: [nothing, fromFile(first), ...limit], fits: false, now }
}

/** Words that are about a file as a whole. */
const aboutFiles = new Set(
  'file files document documents pdf attached attachment summarise summarize summary text content contents page pages read describe explain'.split(
    ' ',
  ),
)

function fromFile({ file, place, number, text }: FilePassage): string {
  const source = [`**${plain(file)}**`, place].filter(Boolean).join(', ')
  return `From ${source}${number === null ? '' : ` [${number}]`}:\n\n${quote(plain(text))}`
}

/** Someone else's text, without effect as Markdown. */
const plain = (text: string): string => text.replace(/[\\`*_[\]<>#|~]/g, '\\$&')

function quote(text: string): string {
  const whole = text.length <= maxQuote
  const start = whole ? text : `${text.slice(0, text.lastIndexOf(' ', maxQuote))} …`
  return start.replace(/^/gm, '> ')
}

async function aboutImages({ messages }: SandboxChatRequest): Promise<string[]> {
  const urls = imagesOf(messages.findLast(({ role }) => role === 'user')?.content)
  if (urls.length === 0) return []
  const lines = await Promise.all(urls.slice(0, maxImages).map(describeImage))
  const counted = lines.map((line, at) => `**Image ${at + 1}.** ${line}`)
  const left = urls.length > maxImages ? [`${urls.length - maxImages} more came.`] : []
  return [['I cannot see what an image shows. This is what I can measure:', ...counted, ...left].join('\n\n')]
}

interface Proposal {
  /** Not proposed after a message about it. */
  words: string
  text: string
}

const promptLink = (prompt: string): string =>
  `[${prompt}](inference-studio://chat?prompt=${encodeURIComponent(prompt)})`
const pageLink = (words: string, page: string): string => `[${words}](inference-studio://page/${page})`

const everyProposal: readonly Proposal[] = [
  { words: 'document file pdf', text: 'Drop a PDF or another file on this chat, and ask about something in it.' },
  {
    words: 'connect claude codex opencode agent',
    text: `${pageLink('Connect an agent', 'proxy')}, or ask ${promptLink('How do I connect Claude Code?')}`,
  },
  { words: 'image picture draw', text: `${pageLink('Draw a picture', 'images')} from a few words.` },
  {
    words: 'tool tools mcp call',
    text: `${pageLink('Add a tool', 'settings/tools')}, switch it on in the **+** menu below, and ask for it by name: the call waits for you.`,
  },
  { words: 'voice speech speak listen', text: `${pageLink('Have a text read aloud', 'speech')}.` },
  { words: 'key keychain stored', text: promptLink('Where is my API key stored?') },
  { words: 'budget limit', text: promptLink('How do I set a budget?') },
  { words: 'data sent', text: promptLink('Is my data sent anywhere?') },
  { words: 'export', text: promptLink('How do I export a chat?') },
]
const proposed = 3

/** What to try next: other things for each message of a chat, and nothing that the message was about. */
function proposals({ messages, tools }: SandboxChatRequest, words: string[]): string {
  const fitting = everyProposal.filter((proposal) => !words.some((word) => proposal.words.split(' ').includes(word)))
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const chosen = Array.from(
    { length: proposed },
    (_, at) => fitting[(turn * proposed + at) % fitting.length]?.text ?? '',
  )
  const [tool] = tools ?? []
  if (tool) chosen[0] = promptLink(`Call ${tool.function.name}`)
  return `**Try next**\n\n${chosen.map((text) => `- ${text}`).join('\n')}`
}
