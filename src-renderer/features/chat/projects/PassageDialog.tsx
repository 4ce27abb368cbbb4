import './projects.css'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Passage } from '../../../../src-preload/contract/projects.ts'
import { problemOf } from '../../../api/problem.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { client } from '../client.ts'
import { sourceOf, usePassageDialogs } from './passageDialogs.ts'

const close = (): void => usePassageDialogs.setState({ one: null })

/** A passage in the text of its file, marked and scrolled to. */
export function PassageDialog() {
  const { t } = useTranslation('projects')
  const passage = usePassageDialogs((state) => state.one)
  return (
    <Dialog
      open={passage !== null}
      onClose={close}
      width="resizable"
      title={passage ? t('passageTitle', { number: passage.number }) : ''}
      about={passage && <span dir="auto">{sourceOf(passage)}</span>}
    >
      {passage && <Source key={`${passage.number} ${passage.start}`} passage={passage} />}
    </Dialog>
  )
}

type Loaded =
  | { state: 'loading' }
  | { state: 'failed'; problem: Problem }
  | { state: 'gone' }
  | { state: 'there'; before: string; after: string; isCut: boolean }

function Source({ passage }: { passage: Passage }) {
  const { t } = useTranslation('projects')
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' })
  useEffect(() => {
    const ended = new AbortController()
    const { mediaId, part, start, end, text } = passage
    client()
      ?.projects.source({ mediaId, part, start, end, text }, { signal: ended.signal })
      .then(
        (found) => !ended.signal.aborted && setLoaded(found ? { state: 'there', ...found } : { state: 'gone' }),
        (thrown: unknown) => !ended.signal.aborted && setLoaded({ state: 'failed', problem: problemOf(thrown) }),
      )
    return () => ended.abort()
  }, [passage])
  if (loaded.state === 'failed') return <ProblemNotice problem={loaded.problem} />
  if (loaded.state === 'loading') return <p role="status">{t('loading')}</p>
  const [before, after] = loaded.state === 'there' ? [loaded.before, loaded.after] : ['', '']
  return (
    <>
      {loaded.state === 'gone' && <p role="status">{t('sourceGone')}</p>}
      {loaded.state === 'there' && loaded.isCut && <p className="chat-faint">{t('sourceCut')}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="chat-document-text" aria-label={t('text')} tabIndex={0} dir="auto">
        {before}
        <mark ref={(mark) => mark?.scrollIntoView({ block: 'center' })}>{passage.text}</mark>
        {after}
      </section>
    </>
  )
}
