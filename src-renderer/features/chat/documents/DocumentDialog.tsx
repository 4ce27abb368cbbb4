import { type SyntheticEvent, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type AttachedDocument,
  encodingOf,
  isTextKind,
  readPages,
  type TextEncoding,
  textEncodings,
  writePages,
} from '../../../../src-preload/contract/documents.ts'
import { mediaPath } from '../../../../src-preload/contract/media.ts'
import { textOf } from '../../../../src-preload/contract/note.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { showNote } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Pieces } from '../../../shared/markdown/CodeBlock.tsx'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Field, InlineField, TextInput } from '../../../shared/ui/Field.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { client } from '../client.ts'
import { textPieces } from '../textPieces.ts'
import { useDocumentFacts } from './DocumentChip.tsx'

interface DocumentDialogProps {
  /** Null: closed. */
  document: AttachedDocument | null
  onClose: () => void
  /** Absent for a document that was sent, whose selection no longer changes. */
  onChoose?: (pages: string | null, tokens: number) => void
  /** Reads a text file again in another encoding. Absent for a document that was sent. */
  onEncoding?: (encoding: TextEncoding) => Promise<void>
}

/** Exactly the text that a document sends, and the choice of its pages. */
export function DocumentDialog({ document, ...rest }: DocumentDialogProps) {
  const { t } = useTranslation('documents')
  if (document === null) return <Dialog open={false} onClose={rest.onClose} title="" />
  const name = document.name === '' ? t('document') : document.name
  return <OpenDialog key={document.mediaId} {...rest} document={document} name={name} />
}

type Loaded =
  | { state: 'loading' }
  | { state: 'failed'; problem: Problem }
  | { state: 'there'; text: string; tokens: number; pages: string | null; isTooLong: boolean }

/** Time after the last key press until the text of other pages is loaded, ms. */
const typingPause = 200

/** Loads the text of the selection. @param pages undefined: the typed selection is invalid, so the text stays */
function useSentText({ mediaId, name, mime }: AttachedDocument, pages: string | null | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the type names the encoding, and in another one the file has another text
  useEffect(() => {
    const core = client()
    if (pages === undefined || !core) return
    const ended = new AbortController()
    const load = (): void => {
      core.documents.text({ mediaId, name, pages }, { signal: ended.signal }).then(
        (sent) => !ended.signal.aborted && setLoaded({ state: 'there', ...sent }),
        (thrown: unknown) => !ended.signal.aborted && setLoaded({ state: 'failed', problem: problemOf(thrown) }),
      )
    }
    const timer = setTimeout(load, typingPause)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [mediaId, name, mime, pages])
  return loaded
}

function OpenDialog({
  document,
  name,
  onClose,
  onChoose,
  onEncoding,
}: DocumentDialogProps & { document: AttachedDocument; name: string }) {
  const { t } = useTranslation('documents')
  const facts = useDocumentFacts()
  const [typed, setTyped] = useState(document.pages ?? '')
  const selection = useMemo(() => selectionOf(typed, document.parts), [typed, document.parts])
  const loaded = useSentText(document, onChoose ? selection : document.pages)
  const isChoosable = onChoose !== undefined && document.unit !== 'text' && document.parts > 1
  const isReady = loaded.state === 'there' && loaded.pages === selection && !loaded.isTooLong
  const apply = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (!isReady || !onChoose) return
    onChoose(loaded.pages, loaded.tokens)
    onClose()
  }
  const shown = loaded.state === 'there' ? { ...document, pages: loaded.pages, tokens: loaded.tokens } : document
  return (
    <Dialog
      open
      onClose={onClose}
      width="resizable"
      title={t('viewTitle', { name })}
      about={<span className="num">{facts(shown)}</span>}
      footer={
        <a className="chat-btn me-auto" href={mediaPath(document.mediaId)} download={name}>
          {t('saveOriginal')}
        </a>
      }
    >
      {isChoosable && (
        <form className="chat-document-pages" onSubmit={apply}>
          <Field
            label={t(`parts.${document.unit}`)}
            hint={t('partsHint')}
            error={selection === undefined ? t('partsWrong', { most: document.parts }) : undefined}
          >
            <TextInput value={typed} onChange={(event) => setTyped(event.target.value)} maxLength={500} />
          </Field>
          <Button type="submit" variant="primary" disabled={!isReady}>
            {t('apply')}
          </Button>
        </form>
      )}
      {onEncoding && isTextKind(document.kind) && <EncodingChoice document={document} onEncoding={onEncoding} />}
      {document.notes.length > 0 && (
        <section aria-label={t('leftOut')} className="chat-document-notes">
          <h3>{t('leftOut')}</h3>
          <ul>
            {document.notes.map((note) => (
              <li key={textOf(note)} dir="auto">
                {showNote(note)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <SentText loaded={loaded} />
    </Dialog>
  )
}

/** The encoding in which a text file was read, and the choice of another one. */
function EncodingChoice({
  document,
  onEncoding,
}: {
  document: AttachedDocument
  onEncoding: (encoding: TextEncoding) => Promise<void>
}) {
  const { t } = useTranslation('documents')
  const [state, setState] = useState<'idle' | 'reading' | Problem>('idle')
  const current = encodingOf(document) ?? 'UTF-8'
  const choices = textEncodings.map((value) => ({ value, label: t(`encodings.${value}`) }))
  const known = choices.find(({ value }) => value === current)
  const pick = (encoding: string): void => {
    const wanted = choices.find(({ value }) => value === encoding)?.value
    if (wanted === undefined || wanted === current) return
    setState('reading')
    onEncoding(wanted).then(
      () => setState('idle'),
      (thrown: unknown) => setState(problemOf(thrown)),
    )
  }
  return (
    <div className="chat-document-encoding" aria-busy={state === 'reading'}>
      <InlineField label={t('encoding')}>
        <Select
          label={t('encoding')}
          value={current}
          choices={known ? choices : [{ value: current, label: current }, ...choices]}
          onPick={pick}
          disabled={state === 'reading'}
        />
        <span className="text-faint text-s" role="status">
          {t(state === 'reading' ? 'rereading' : 'encodingHint')}
        </span>
      </InlineField>
      {typeof state === 'object' && <ProblemNotice problem={state} />}
    </div>
  )
}

function SentText({ loaded }: { loaded: Loaded }) {
  const { t } = useTranslation('documents')
  const text = loaded.state === 'there' ? loaded.text : ''
  const pieces = useMemo(() => textPieces(text), [text])
  if (loaded.state === 'failed') return <ProblemNotice problem={loaded.problem} />
  if (loaded.state === 'loading') return <p role="status">{t('loading')}</p>
  if (loaded.isTooLong) return <p role="alert">{t('tooLong')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section className="chat-document-text" aria-label={t('textToSend')} tabIndex={0} dir="auto">
      <Pieces pieces={pieces} wraps />
    </section>
  )
}

/** The typed selection in its normal form; null: everything; undefined: invalid. */
function selectionOf(typed: string, parts: number): string | null | undefined {
  if (typed.trim() === '') return null
  const ranges = readPages(typed, parts)
  return ranges === null ? undefined : writePages(ranges, parts)
}
