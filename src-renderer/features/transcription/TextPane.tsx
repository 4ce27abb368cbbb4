import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { attempt } from './client.ts'
import type { FindResult } from './FindBar.tsx'
import { Marked } from './Marked.tsx'

/** ms between saves while editing. */
const saveEveryMs = 500

/** A transcript as one text. With `editing`, a field that saves automatically. */
export function TextPane({
  transcript,
  found,
  editing,
}: {
  transcript: Transcript
  found: FindResult
  editing: boolean
}) {
  const { t } = useTranslation('transcribe')
  if (editing) return <Editor key={transcript.id} transcript={transcript} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label={t('text')} className="min-h-0 flex-1 overflow-y-auto px-6 py-4 max-[800px]:px-4">
      <p dir="auto" className="max-w-[72ch] whitespace-pre-wrap text-body leading-[1.65] select-text">
        <Marked text={transcript.text} needle={found.needle} current={found.at} />
      </p>
    </section>
  )
}

function Editor({ transcript }: { transcript: Transcript }) {
  const { t } = useTranslation('transcribe')
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(transcript.text)
  const saved = useRef(transcript.text)
  const typed = useRef(text)
  typed.current = text
  const { id } = transcript
  useEffect(() => {
    const save = (): void => {
      if (typed.current === saved.current) return
      saved.current = typed.current
      const words = typed.current
      void attempt((core) => core.transcription.edit({ transcriptId: id, text: words }))
    }
    const timer = setInterval(save, saveEveryMs)
    field.current?.focus()
    addEventListener('pagehide', save)
    return () => {
      clearInterval(timer)
      removeEventListener('pagehide', save)
      save()
    }
  }, [id])
  return (
    <textarea
      ref={field}
      aria-label={t('text')}
      dir="auto"
      spellCheck
      className="transcribe-editor"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
