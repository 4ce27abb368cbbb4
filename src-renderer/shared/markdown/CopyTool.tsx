import { Check, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMarkdownHost } from './context.ts'
import { useMarkdownTexts } from './messages.ts'

/** A button that copies the result of `text` and confirms for a moment. */
export function CopyTool({ label, text, icon }: { label: string; text: () => string; icon?: ReactNode }) {
  const { copy } = useMarkdownHost()
  const t = useMarkdownTexts()
  const [copied, setCopied] = useState(false)
  const copyAll = async (): Promise<void> => {
    if (!(await copy(text()))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  const shown = copied ? t('copied') : label
  return (
    <button type="button" className="md-tool" aria-label={shown} title={shown} onClick={() => void copyAll()}>
      {copied ? <Check aria-hidden /> : (icon ?? <Copy aria-hidden />)}
    </button>
  )
}
