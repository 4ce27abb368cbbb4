import { type ReactNode, useEffect, useState } from 'react'
import type { CallDecision } from '../../../../src-preload/contract/tools.ts'
import { joinSentences } from '../../../i18n/format.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { commandLine } from '../../../shared/ui/commandLine.ts'
import { plainText } from '../../../shared/ui/plainText.ts'
import { findTool, useTools } from '../../../stores/tools.ts'
import { decide } from './actions.ts'
import { Refuse } from './Refuse.tsx'
import type { ToolRow } from './round.ts'

/** Time before a new question accepts an answer, ms. Prevents an answer by a click or key press meant for another control. */
const calm = 350

/** Asks the person about one call. Shows the tool, the place where it would run, and four answers. */
export function ToolAsk({ row }: { row: ToolRow }) {
  const t = useToolTranslate()
  const [deciding, setDeciding] = useState<CallDecision | null>(null)
  const [refusing, setRefusing] = useState(false)
  const ready = useCalm()
  const say = async (allow: CallDecision) => {
    setDeciding(allow)
    await decide(row.id, allow)
    setDeciding(null)
  }
  const button = (allow: CallDecision, words: string) => (
    <Button
      size="small"
      variant={allow === 'once' ? 'primary' : 'normal'}
      busy={deciding === allow}
      disabled={!ready || deciding !== null}
      onClick={() => void say(allow)}
    >
      {words}
    </Button>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a line and border of its own
    <div role="group" aria-label={t('ask.group', { name: plainText(row.run.name) })} className="flex flex-col gap-2.5">
      <Where row={row} />
      <div className="flex flex-wrap gap-2">
        {button('once', t('ask.once'))}
        {button('conversation', t('ask.conversation'))}
        {button('always', t('ask.always'))}
        <Button
          size="small"
          disabled={!ready || deciding !== null}
          aria-expanded={refusing}
          onClick={() => setRefusing(!refusing)}
        >
          {t('ask.deny')}
        </Button>
      </div>
      {refusing && <Refuse messageId={row.id} onEnd={() => setRefusing(false)} />}
    </div>
  )
}

function useCalm(): boolean {
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), calm)
    return () => clearTimeout(timer)
  }, [])
  return ready
}

/** Where the call would run, and the server's claims about the tool. */
function Where({ row: { run } }: { row: ToolRow }) {
  const t = useToolTranslate()
  const tools = useTools((store) => store.tools)
  const { server, mcp } = run.tool ? findTool(tools, run.tool.id) : { server: null, mcp: null }
  const name = plainText(server?.name ?? run.tool?.server ?? '')
  const lines: [string, ReactNode][] = []
  if (server?.transport.kind === 'stdio')
    lines.push(['command', <Mono key="c">{plainText(commandLine(server.transport))}</Mono>])
  if (server?.transport.kind === 'http') lines.push(['address', <Mono key="a">{plainText(server.transport.url)}</Mono>])
  return (
    <div className="flex flex-col gap-1 text-s">
      <p>
        {joinSentences([
          t('ask.question'),
          t(server?.transport.kind === 'http' ? 'ask.onHttp' : 'ask.onStdio', { server: name }),
        ])}
      </p>
      {lines.map(([key, line]) => (
        <div key={key}>{line}</div>
      ))}
      {mcp?.description && (
        <p className="line-clamp-3 text-soft">{t('ask.serverSays', { words: plainText(mcp.description) })}</p>
      )}
      {mcp?.readOnly === true && <p className="text-soft">{t('ask.readOnly')}</p>}
      {mcp?.readOnly !== true && mcp?.destructive === true && <p className="text-warn">{t('ask.destructive')}</p>}
      {run.notes.map((note) => (
        <p key={note} className="text-warn">
          {plainText(note)}
        </p>
      ))}
    </div>
  )
}

const Mono = ({ children }: { children: string }) => (
  <code
    dir="ltr"
    className="block max-h-20 select-text overflow-auto break-all font-mono text-soft [unicode-bidi:isolate]"
  >
    {children}
  </code>
)
