import './noEval.ts'
import './styles.css'
import { connect } from '../api/connect.ts'
import { desktopStore } from '../shared/desktop.ts'
import { startWindow } from './start.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root.')
// First: connecting removes the access token from the address before other code reads the hash.
const api = connect()
desktopStore.setState({ client: api.desktop })
void startWindow(api, root)
