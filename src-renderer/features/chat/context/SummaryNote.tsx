import { NotebookText } from 'lucide-react'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { Markdown } from '../../../shared/markdown/Markdown.tsx'
import { showCost } from '../../../shared/money/cost.ts'
import { Facts } from '../../../shared/ui/Facts.tsx'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { messageAttributes } from '../focus.ts'
import { TurnFooter } from '../TurnFooter.tsx'
import { editNote } from './actions.ts'
import { LeftOutMark } from './LeftOutMark.tsx'
import { useContextTexts } from './texts.ts'

/** The note that replaces earlier messages on its branch: visible and editable. */
export function SummaryNote({ note }: { note: Message }) {
  const t = useContextTexts()
  const title = t('note', { count: note.summarised ?? 1 })
  return (
    <article
      className="chat-turn"
      aria-label={title}
      {...messageAttributes(note)}
      data-role="summary"
      data-left-out={note.leftOut}
    >
      <div className="context-note">
        <header>
          <NotebookText aria-hidden />
          <h2>{title}</h2>
          <span className="num">
            <Facts>
              {note.model}
              {note.cost !== null && <WithSc text={showCost(note)} />}
            </Facts>
          </span>
        </header>
        <div data-part="text">
          <Markdown text={note.text} growing={false} />
        </div>
        <p>{t('noteWhere')}</p>
      </div>
      <LeftOutMark message={note} />
      <TurnFooter message={note} editLabel={t('editNote')} onEdit={() => editNote(note)} />
    </article>
  )
}
