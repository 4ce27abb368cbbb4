import { ChevronRight } from 'lucide-react'
import { cx } from './cx.ts'

/** The arrow before something that opens below it. Turns down while it is open. */
export const OpenMark = ({ open, className }: { open: boolean; className?: string }) => (
  <ChevronRight
    aria-hidden
    size={14}
    className={cx('shrink-0 transition-transform', open ? 'rotate-90' : 'rtl:rotate-180', className)}
  />
)
