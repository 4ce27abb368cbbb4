import type { LucideIcon } from 'lucide-react'
import { openConnectionSettings } from '../navigation.ts'
import { Button } from '../ui/Button.tsx'

/** The main action of a page that has nothing to show before a service is connected. */
export function ConnectButton({ label, icon }: { label: string; icon?: LucideIcon }) {
  return (
    <Button variant="primary" {...(icon && { icon })} onClick={openConnectionSettings}>
      {label}
    </Button>
  )
}
