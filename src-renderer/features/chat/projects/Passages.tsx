import './projects.css'
import { FileSearch, Quote } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Passage } from '../../../../src-preload/contract/projects.ts'
import { showCount } from '../../../i18n/format.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { sourceOf, usePassageDialogs } from './passageDialogs.ts'

/** Such as `3 passages from 2 files`. */
export function usePassageCount(): (passages: readonly Passage[]) => string {
  const { t } = useTranslation('projects')
  return (passages) => {
    const files = new Set(passages.map(({ mediaId }) => mediaId)).size
    return t('fromFiles', { count: files, passages: t('passages', { count: passages.length }) })
  }
}

/** A button that shows the passages of a message. */
export function PassageChip({ passages }: { passages: readonly Passage[] }) {
  const { t } = useTranslation(['projects', 'documents'])
  const count = usePassageCount()
  const tokens = passages.reduce((sum, one) => sum + one.tokens, 0)
  return (
    <button
      type="button"
      className="chat-document-open"
      title={t('viewPassages')}
      onClick={() => usePassageDialogs.setState({ list: passages })}
    >
      <FileSearch aria-hidden />
      <span className="chat-file-words">
        <b>{count(passages)}</b>
        <span className="num">{t('documents:tokens', { count: tokens, replace: { count: showCount(tokens) } })}</span>
      </span>
    </button>
  )
}

/** The passages that were sent with a message. */
export function SentPassages({ passages }: { passages: readonly Passage[] }) {
  const { t } = useTranslation('projects')
  if (passages.length === 0) return null
  return (
    <ul className="chat-documents" aria-label={t('sent')}>
      <li className="chat-document" data-state="ready">
        <PassageChip passages={passages} />
      </li>
    </ul>
  )
}

const close = (): void => usePassageDialogs.setState({ list: null })

/** The passages of a message: exactly the texts that are sent. */
export function PassagesDialog() {
  const { t } = useTranslation(['projects', 'documents'])
  const list = usePassageDialogs((state) => state.list)
  return (
    <Dialog
      open={list !== null}
      onClose={close}
      width="resizable"
      title={t('passagesTitle')}
      about={t('passagesAbout')}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="project-passages" aria-label={t('passagesTitle')} tabIndex={0}>
        {list?.map((passage) => (
          <article key={passage.number} aria-label={t('passageTitle', { number: passage.number })}>
            <header>
              <h3>
                [{passage.number}] <span dir="auto">{sourceOf(passage)}</span>
              </h3>
              <Button
                aria-label={t('showOf', { number: passage.number })}
                onClick={() => usePassageDialogs.setState({ one: passage })}
              >
                <Quote aria-hidden size={14} /> {t('showInFile')}
              </Button>
            </header>
            <p className="project-passage-text" dir="auto">
              {passage.text}
            </p>
          </article>
        ))}
      </section>
    </Dialog>
  )
}
