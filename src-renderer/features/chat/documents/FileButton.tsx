import './documents.css'
import type { LucideIcon } from 'lucide-react'

/** A button of a picture or a document in the composer. The label is also the tooltip. */
export function FileButton({ icon: Icon, label, onClick }: { icon: LucideIcon; label: string; onClick: () => void }) {
  return (
    <button type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon aria-hidden />
    </button>
  )
}
