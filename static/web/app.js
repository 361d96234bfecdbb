// Starts what every page has. Pages work without it, and look the same.
import { watchCopies } from "web/copies.js";
import { watchDialogs, watchHelp, watchMenus } from "web/dialog.js";
import { watchFields } from "web/fields.js";
import { watchFocus } from "web/focus.js";
import { watchKeys } from "web/keyboard.js";
import { watchPalette } from "web/palette.js";
import { watchRequests } from "web/requests.js";
import { watchSession } from "web/session.js";
import { watchSidebar } from "web/sidebar.js";
import { watchTheme } from "web/theme.js";
import { watchTicks } from "web/ticks.js";
import { watchToasts } from "web/toast.js";

watchCopies();
watchDialogs();
watchFields();
watchFocus();
watchHelp();
watchKeys();
watchMenus();
watchPalette();
watchRequests();
watchSession();
watchSidebar();
watchTheme();
watchTicks();
watchToasts();
