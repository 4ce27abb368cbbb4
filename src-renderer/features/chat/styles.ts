// The room's rules, the shared ones first: later ones of equal weight win.
import './chat.css'
import './stage.css'
import './message.css'
import './columns.css'
import './find/find.css'
import './inspector.css'
