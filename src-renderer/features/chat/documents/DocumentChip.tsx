import './documents.css'
import { FileSpreadsheet, FileText, Presentation } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import { joinFacts } from '../../../i18n/format.ts'
import { WithSc } from '../../../shared/ui/WithSc.tsx'

const icons = {
  sheet: FileSpreadsheet,
  slide: Presentation,
  page: FileText,
  chapter: FileText,
  text: FileText,
} as const

export function DocumentIcon({ unit }: { unit: AttachedDocument['unit'] }) {
  const Icon = icons[unit]
  return <Icon aria-hidden />
}

/** The name and facts of a document. A click shows its text. */
export function DocumentChip({ document, onOpen }: { document: AttachedDocument; onOpen: () => void }) {
  const { t } = useTranslation('documents')
  const facts = useDocumentFacts()
  return (
    <button type="button" className="chat-document-open" title={t('open')} onClick={onOpen}>
      <DocumentIcon unit={document.unit} />
      <span className="chat-file-words">
        <b>{document.name}</b> <span className="num">{facts(document)}</span>
      </span>
    </button>
  )
}

/** Facts of a document in one line: type, pages, tokens. */
export function useDocumentFacts(): (document: AttachedDocument) => ReactNode {
  const { t } = useTranslation('documents')
  return ({ kind, unit, parts, pages, tokens }) => {
    const all = unit === 'text' ? null : t(unit, { count: parts })
    const shown = all === null ? null : pages === null ? all : t('chosen', { pages, unit: all })
    const facts = [t(`kinds.${kind}`), shown, t('tokens', { count: tokens })]
    return <WithSc text={joinFacts(facts)} />
  }
}
