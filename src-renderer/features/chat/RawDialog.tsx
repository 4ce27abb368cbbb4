import { ChevronDown, ChevronUp, Maximize2, Minimize2 } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { LoggedBody, RequestDetail } from '../../../src-preload/contract/requests.ts'
import { problemOf } from '../../api/problem.ts'
import { joinFacts, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { isComposing } from '../../shared/isComposing.ts'
import { HighlightedText } from '../../shared/markdown/CodeBlock.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { SearchField } from '../../shared/ui/SearchField.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { Switch } from '../../shared/ui/Switch.tsx'
import { useApp } from '../../stores/app.ts'
import { useStage } from '../../stores/chatPage.ts'
import { attempt } from './client.ts'
import { useTextSearch } from './find/useTextSearch.ts'
import { figure, useChatTranslate } from './messages.ts'
import { formsOf } from './raw.ts'

/** Number of displayed characters of a body. Copy copies the whole body. */
const maxShown = 200_000

const none: readonly number[] = []
const close = (): void => useStage.setState({ dialog: null })

/** The requests of a reply and their responses, byte for byte, as far as stored. */
export function RawDialog() {
  const t = useChatTranslate()
  const dialog = useStage((state) => state.dialog)
  const rows = dialog?.kind === 'raw' ? dialog.requestRows : none
  const [picked, setPicked] = useState<number | null>(null)
  // The last request wrote the end of the reply.
  const row = picked !== null && rows.includes(picked) ? picked : (rows.at(-1) ?? null)
  const [full, setFull] = useState(false)
  return (
    <Dialog open={row !== null} onClose={close} title={t('raw')} width={full ? 'full' : 'resizable'}>
      {row !== null && (
        <>
          {rows.length > 1 && (
            <Select
              label={t('rawWhich')}
              value={String(row)}
              className="self-start"
              choices={rows.map((one, at) => ({
                value: String(one),
                label: t('rawNumber', { number: at + 1, all: rows.length }),
              }))}
              onPick={(value) => setPicked(Number(value))}
            />
          )}
          <Raw row={row} key={row} />
          <Button
            size="small"
            icon={full ? Minimize2 : Maximize2}
            className="self-start"
            onClick={() => setFull(!full)}
          >
            {t(full ? 'rawSmaller' : 'rawFull')}
          </Button>
        </>
      )}
    </Dialog>
  )
}

type Asked = { detail: RequestDetail | null; problem: Problem | null }

function Raw({ row }: { row: number }) {
  const t = useChatTranslate()
  const studio = useStudio()
  const [{ detail, problem }, setAsked] = useState<Asked>({ detail: null, problem: null })
  useEffect(() => {
    let wanted = true
    studio.requests.get({ id: row }).then(
      (found) => wanted && setAsked({ detail: found, problem: null }),
      (thrown: unknown) => wanted && setAsked({ detail: null, problem: problemOf(thrown) }),
    )
    return () => {
      wanted = false
    }
  }, [studio, row])
  if (problem) return <ProblemNotice problem={problem} noAction />
  if (!detail) return <p className="chat-faint chat-late">{t('rawLoading')}</p>
  return <Bodies detail={detail} />
}

function Bodies({ detail }: { detail: RequestDetail }) {
  const t = useChatTranslate()
  const [which, setWhich] = useState<'request' | 'reply'>('request')
  const { requestBody, replyBody, row } = detail
  const body = which === 'request' ? requestBody : replyBody
  return (
    <>
      <p className="chat-raw-head">
        <code>
          {row.method} {row.path}
        </code>
        <span>{row.status ?? t('rawNoStatus')}</span>
      </p>
      {!requestBody && !replyBody ? (
        <NoBody />
      ) : (
        <>
          <Segmented
            label={t('raw')}
            value={which}
            segments={[
              { value: 'request', label: t('rawRequest') },
              { value: 'reply', label: t('rawReply') },
            ]}
            onChange={setWhich}
          />
          {body ? <Body key={which} body={body} /> : <p className="chat-faint">{t('rawNoBody')}</p>}
        </>
      )}
    </>
  )
}

function Body({ body }: { body: LoggedBody }) {
  const t = useChatTranslate()
  const { t: tools } = useTranslation('chatTools')
  const forms = formsOf(body)
  const [form, setForm] = useState<'pretty' | 'raw'>(forms?.pretty ? 'pretty' : 'raw')
  const box = useRef<HTMLElement>(null)
  if (!forms) return <p className="chat-faint">{t('rawNotText', { bytes: showSize(body.bytes) })}</p>
  const text = form === 'pretty' ? (forms.pretty ?? forms.raw) : forms.raw
  return (
    <div className="chat-raw-body">
      <div className="chat-raw-tools">
        {forms.pretty !== null && (
          <Segmented
            label={t('rawForm')}
            value={form}
            segments={[
              { value: 'pretty', label: t(forms.events === null ? 'rawPretty' : 'rawEvents') },
              { value: 'raw', label: t(forms.events === null ? 'rawAsSent' : 'rawLines') },
            ]}
            onChange={setForm}
          />
        )}
        <span className="chat-faint">
          {joinFacts([showSize(body.bytes), forms.events !== null && t('rawEventCount', { count: forms.events })])}
        </span>
        <CopyButton text={text} name={t('rawCopy')} size="small" />
      </div>
      <RawSearch box={box} />
      {body.capped && <p className="chat-param-fault">{t('rawCapped', { bytes: showSize(body.bytes) })}</p>}
      <section
        className="chat-raw"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        aria-label={t('raw')}
        dir="ltr"
      >
        <HighlightedText key={form} text={text.slice(0, maxShown)} language={forms.pretty === null ? 'text' : 'json'} />
      </section>
      {text.length > maxShown && <p className="chat-faint">{tools('text.more', { count: text.length - maxShown })}</p>}
    </div>
  )
}

/** Searches the shown text. Ctrl+F focuses the field, because the browser's own search would also search the page behind the dialog. */
function RawSearch({ box }: { box: RefObject<HTMLElement | null> }) {
  const t = useChatTranslate()
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const { count, at, step } = useTextSearch(box, query)
  useEffect(() => {
    const byKey = (event: globalThis.KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'f') return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    addEventListener('keydown', byKey)
    return () => removeEventListener('keydown', byKey)
  }, [])
  const none = query.trim() !== '' && count === 0
  return (
    <search className="chat-raw-search">
      <SearchField
        label={t('rawFind')}
        value={query}
        onValue={setQuery}
        inputRef={field}
        className="chat-raw-field"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || isComposing(event)) return
          event.preventDefault()
          step(event.shiftKey ? -1 : 1)
        }}
      />
      <output data-none={none}>
        {none ? t('findNone') : count > 0 ? t('findCount', { at: figure(at + 1), all: figure(count) }) : ''}
      </output>
      <IconButton
        icon={ChevronUp}
        size="small"
        label={t('findPrevious')}
        disabled={count === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        icon={ChevronDown}
        size="small"
        label={t('findNext')}
        disabled={count === 0}
        onClick={() => step(1)}
      />
    </search>
  )
}

/** Why there is no body, and the setting that stores bodies of future requests. */
function NoBody() {
  const t = useChatTranslate()
  const stored = useApp(({ app }) => app?.settings.chatBodies ?? false)
  const days = useApp(({ app }) => app?.settings.bodyDays ?? 7)
  return (
    <div className="chat-raw-none">
      <p>{t('rawNotKept')}</p>
      <div>
        <Switch
          checked={stored}
          label={t('rawStore', { count: days })}
          onChange={(chatBodies) => void attempt((client) => client.app.updateSettings({ chatBodies }))}
        />
        <span>{t('rawStore', { count: days })}</span>
      </div>
    </div>
  )
}
