/** The page for a browser that may not see the status page: who it is to the server, and how to get in. */
import { type StatusError, statusOf } from "../../core/status-error.ts";
import type { Reply } from "../../kernel/request/exchange.ts";
import { documentText, escaped } from "./page.ts";
import { pageHeaders } from "./reply.ts";

/** Why a page is refused, in words for people. */
const titles: Readonly<Record<number, string>> = { 401: "Credentials not accepted", 403: "No right to see the status page" };

/** Undefined for an error that is not about credentials or rights: then a browser gets a Status, as other clients do. */
export function refusedPage(error: StatusError): Reply | undefined {
  const title = titles[error.code];
  if (title === undefined) return undefined;
  return { status: error.code, headers: pageHeaders, body: refusedText(title, statusOf(error).message ?? "") };
}

/** Returns the HTML of the whole page. */
export function refusedText(title: string, message: string): string {
  return documentText(
    `${title} · Thole`,
    `<header>
<h1>Thole</h1>
<span><b class="bad">${escaped(title)}</b></span>
</header>
<main>
<p>${escaped(message)}</p>
<p>A browser has no credentials of its own. kubectl lends it yours.</p>
<h2>With the administrator's kubeconfig</h2>
<p>The server prints the line with <code>export</code> when it starts. The file is in its data directory.</p>
<pre>export KUBECONFIG=thole-data/kubeconfig
kubectl proxy --port=8001</pre>
<p>Then open <a href="http://127.0.0.1:8001/">http://127.0.0.1:8001/</a> on the same machine.</p>
<h2>As another user</h2>
<p>An administrator grants the verb <code>get</code> on the two paths of the page:</p>
<pre>kubectl create clusterrole status-page --verb=get --non-resource-url=/ --non-resource-url=/metrics
kubectl create clusterrolebinding status-page --clusterrole=status-page --user=NAME</pre>
</main>`,
  );
}
