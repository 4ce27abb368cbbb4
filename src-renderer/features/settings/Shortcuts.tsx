import { ShortcutList } from '../../shared/commands/ShortcutList.tsx'

export function ShortcutsSection() {
  return <ShortcutList />
}
