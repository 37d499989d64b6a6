"""The formats of tokens: what providers put before theirs, so that they are recognised.

One row each. A row is enough: the finder and its tests are made from this table.
"""

from __future__ import annotations

from typing import NamedTuple

HEX = "a-f0-9"
UPPER = "A-Z0-9"
LOWER = "a-z0-9"
ALNUM = "A-Za-z0-9"
WORD = r"\w"  # with underscores
URL = r"\w\-"  # base64 as in addresses
DOTTED = r"\w.\-"  # several parts
BASE64 = "A-Za-z0-9+/="
MIXED = r"\w+/=.\-"
UUID = r"a-f0-9\-"


class Format(NamedTuple):
    """How the tokens of a provider are written."""

    provider: str
    prefixes: str
    """Divided by blanks."""
    alphabet: str
    """What may follow, as in a character class."""
    length: int
    """How many characters follow at least. A text may have been cut: the finder takes half as many for a doubt."""
    source: str
    """Where the provider says so. `issued`: it does not, but all that it issues look so."""


FORMATS = (
    Format("heedful", "heedful_key_ heedful_link_", ALNUM, 49, "docs/reference.md"),
    # Code, packages and builds
    Format("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", DOTTED, 36, "docs.github.com/authentication"),
    Format("GitHub", "github_pat_", WORD, 82, "docs.github.com/authentication"),
    Format(
        "GitLab",
        "glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt-",
        DOTTED,
        20,
        "docs.gitlab.com/security/tokens",
    ),
    Format("GitLab", "GR1348941", URL, 20, "docs.gitlab.com/security/tokens"),
    Format("Atlassian", "ATATT3 ATCTT3 ATSTT3", r"\w=\-", 60, "support.atlassian.com"),
    Format("Atlassian", "ATBB", ALNUM, 32, "support.atlassian.com/bitbucket-cloud"),
    Format("Trello", "ATTA", ALNUM, 64, "issued"),
    Format("npm", "npm_", ALNUM, 36, "github.blog/npm-access-token-format"),
    Format("PyPI", "pypi-", URL, 80, "pypi.org/help"),
    Format("RubyGems", "rubygems_", HEX, 48, "guides.rubygems.org"),
    Format("Clojars", "CLOJARS_", LOWER, 60, "github.com/clojars/clojars-web/wiki"),
    Format("NuGet", "oy2", LOWER, 43, "issued"),
    Format("crates.io", "cio", ALNUM, 32, "github.com/rust-lang/crates.io"),
    Format("JSR", "jsrp_ jsrd_", ALNUM, 32, "issued"),
    Format("Packagist", "packagist_uht_ packagist_ort_ packagist_out_", HEX, 40, "packagist.org/apidoc"),
    Format("Docker", "dckr_pat_ dckr_oat_", URL, 27, "docs.docker.com/security/access-tokens"),
    Format("Docker Swarm", "SWMTKN-1-", URL, 70, "docs.docker.com/engine/swarm"),
    Format("Docker Swarm", "SWMKEY-1-", r"\w+/\-", 43, "docs.docker.com/engine/swarm"),
    Format("CircleCI", "CCIPAT_ CCIPRJ_", WORD, 60, "circleci.com/changelog"),
    Format("Buildkite", "bkua_ bkaj_ bkct_", HEX, 40, "buildkite.com/docs/apis"),
    Format("SonarQube", "squ_ sqp_ sqa_", HEX, 40, "docs.sonarsource.com"),
    Format("Sourcegraph", "sgp_ slk_ sgd_", r"a-z0-9_", 40, "sourcegraph.com/docs"),
    Format("Artifactory", "AKCp", ALNUM, 69, "jfrog.com/help"),
    Format("Artifactory", "cmVmdGtuO", ALNUM, 55, "jfrog.com/help"),
    Format("Pulumi", "pul-", HEX, 40, "pulumi.com/docs"),
    Format("Infracost", "ico-", ALNUM, 32, "infracost.io/docs"),
    Format("Octopus Deploy", "API-", UPPER, 26, "octopus.com/docs"),
    Format("Harness", "pat.", DOTTED, 60, "developer.harness.io"),
    Format("Prefect", "pnu_ pnb_", ALNUM, 36, "docs.prefect.io"),
    Format("Chromatic", "chpt_", ALNUM, 12, "chromatic.com/docs"),
    Format("WakaTime", "waka_", UUID, 36, "wakatime.com/api"),
    Format("Snyk", "snyk_uat. snyk_sat.", DOTTED, 40, "docs.snyk.io"),
    # Secrets of secret stores
    Format("HashiCorp Vault", "hvs. hvb. hvr.", URL, 24, "developer.hashicorp.com/vault/docs/concepts/tokens"),
    Format("Doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", DOTTED, 40, "docs.doppler.com"),
    Format("1Password", "ops_", URL, 250, "developer.1password.com"),
    Format("1Password", "A3-", r"A-Z0-9\-", 34, "support.1password.com/secret-key"),
    Format("age", "AGE-SECRET-KEY-1", UPPER, 58, "age-encryption.org/v1"),
    Format("NATS", "SU SA SO SN SC", "A-Z2-7", 56, "docs.nats.io/nats-protocol/nkeys"),
    Format("BIP 32", "xprv yprv zprv", ALNUM, 107, "github.com/bitcoin/bips"),
    # Language models and what is built on them
    Format("OpenAI", "sk-proj- sk-svcacct- sk-admin- sk-None-", URL, 40, "platform.openai.com/docs"),
    Format("OpenAI and others", "sk-", ALNUM, 32, "platform.openai.com/docs"),
    Format("OpenAI", "sess-", ALNUM, 40, "issued"),
    Format("Anthropic", "sk-ant-", URL, 80, "docs.anthropic.com"),
    Format("OpenRouter", "sk-or-v1-", HEX, 64, "openrouter.ai/docs"),
    Format("Langfuse", "sk-lf-", UUID, 36, "langfuse.com/docs"),
    Format("Helicone", "sk-helicone-", URL, 28, "docs.helicone.ai"),
    Format("LangSmith", "lsv2_pt_ lsv2_sk_ ls__", WORD, 32, "docs.smith.langchain.com"),
    Format("Hugging Face", "hf_", ALNUM, 34, "huggingface.co/docs/hub/security-tokens"),
    Format("Hugging Face", "api_org_", ALNUM, 34, "huggingface.co/docs/hub/security-tokens"),
    Format("Replicate", "r8_", ALNUM, 37, "replicate.com/docs"),
    Format("Groq", "gsk_", ALNUM, 48, "console.groq.com/docs"),
    Format("Perplexity", "pplx-", ALNUM, 48, "docs.perplexity.ai"),
    Format("xAI", "xai-", ALNUM, 80, "docs.x.ai"),
    Format("Together", "tgp_v1_", URL, 43, "docs.together.ai"),
    Format("Fireworks", "fw_", ALNUM, 22, "docs.fireworks.ai"),
    Format("NVIDIA", "nvapi-", URL, 60, "docs.nvidia.com"),
    Format("Cerebras", "csk-", LOWER, 48, "inference-docs.cerebras.ai"),
    Format("Jina", "jina_", URL, 50, "jina.ai/api-dashboard"),
    Format("Voyage", "pa-", URL, 43, "docs.voyageai.com"),
    Format("Tavily", "tvly- tvly-dev- tvly-prod-", URL, 32, "docs.tavily.com"),
    Format("Firecrawl", "fc-", HEX, 32, "docs.firecrawl.dev"),
    Format("Brave Search", "BSA", URL, 27, "api-dashboard.search.brave.com"),
    Format("E2B", "e2b_", HEX, 40, "e2b.dev/docs"),
    Format("Daytona", "dtn_", ALNUM, 64, "daytona.io/docs"),
    Format("LlamaCloud", "llx-", ALNUM, 48, "docs.cloud.llamaindex.ai"),
    Format("RunPod", "rpa_", ALNUM, 40, "docs.runpod.io"),
    Format("Modal", "ak- as-", ALNUM, 22, "modal.com/docs"),
    Format("Apify", "apify_api_ apify_proxy_", ALNUM, 30, "docs.apify.com"),
    Format("Browserbase", "bb_live_ bb_test_", URL, 24, "docs.browserbase.com"),
    Format("Anyscale", "esecret_", ALNUM, 26, "docs.anyscale.com"),
    Format("ElevenLabs", "sk_", HEX, 48, "elevenlabs.io/docs"),
    Format("Weights & Biases", "wandb_v1_", WORD, 60, "docs.wandb.ai"),
    Format("Context7", "ctx7sk-", UUID, 36, "context7.com/docs"),
    # Clouds, hosts and databases
    Format("AWS", "AKIA ASIA ABIA ACCA", UPPER, 16, "docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers"),
    Format("AWS Bedrock", "ABSK", BASE64, 100, "docs.aws.amazon.com/bedrock"),
    Format("AWS Bedrock", "bedrock-api-key-", BASE64, 60, "docs.aws.amazon.com/bedrock"),
    Format("Google", "AIza", URL, 35, "cloud.google.com/docs/authentication/api-keys"),
    Format("Google", "GOCSPX-", URL, 28, "developers.google.com/identity"),
    Format("Google", "ya29.", DOTTED, 60, "developers.google.com/identity"),
    Format("Google", "1//0", URL, 40, "developers.google.com/identity"),
    Format("Alibaba Cloud", "LTAI", ALNUM, 12, "alibabacloud.com/help"),
    Format("Tencent Cloud", "AKID", ALNUM, 32, "cloud.tencent.com/document"),
    Format("Volcengine", "AKLT", ALNUM, 40, "volcengine.com/docs"),
    Format("Baidu Cloud", "bce-v3/", r"\w/\-", 60, "cloud.baidu.com/doc"),
    Format("Yandex Cloud", "AQVN", URL, 35, "yandex.cloud/docs"),
    Format("Yandex", "y0_", URL, 50, "yandex.com/dev/id"),
    Format("Scaleway", "SCW", UPPER, 17, "scaleway.com/docs"),
    Format("DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", HEX, 64, "docs.digitalocean.com/reference/api"),
    Format("Heroku", "HRKU-", URL, 36, "devcenter.heroku.com"),
    Format("Fly.io", "fo1_ fm1_ fm1a_ fm1r_ fm2_", BASE64 + r"_\-", 40, "fly.io/docs/security/tokens"),
    Format("Netlify", "nfp_ nfc_ nfo_ nfu_", ALNUM, 36, "docs.netlify.com"),
    Format("Vercel", "vcp_ vci_ vca_ vcr_ vck_", ALNUM, 24, "vercel.com/docs"),
    Format("Vercel", "vercel_blob_rw_ vercel_", WORD, 20, "vercel.com/docs"),
    Format("Render", "rnd_", ALNUM, 28, "render.com/docs/api"),
    Format("Deno Deploy", "ddp_ ddo_", ALNUM, 36, "docs.deno.com/deploy"),
    Format("Cloudflare", "v1.0-", URL, 140, "developers.cloudflare.com"),
    Format("Supabase", "sbp_ sbv_", HEX, 40, "supabase.com/docs"),
    Format("Supabase", "sb_secret_ sb_publishable_", URL, 31, "supabase.com/docs"),
    Format("PlanetScale", "pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_api_", DOTTED, 32, "planetscale.com/docs"),
    Format("Neon", "napi_", ALNUM, 60, "neon.com/docs"),
    Format("Neon", "npg_", ALNUM, 12, "neon.com/docs"),
    Format("Xata", "xau_", ALNUM, 32, "xata.io/docs"),
    Format("Databricks", "dapi dose dkea", HEX, 32, "docs.databricks.com"),
    Format("Confluent", "cflt", BASE64, 60, "docs.confluent.io"),
    Format("Pinecone", "pcsk_", WORD, 60, "docs.pinecone.io"),
    Format("Tailscale", "tskey- tskey-auth- tskey-api- tskey-client-", URL, 20, "tailscale.com/kb"),
    Format("OpenShift", "sha256~", URL, 43, "docs.openshift.com"),
    Format("Tinybird", "p.ey", DOTTED, 60, "tinybird.co/docs"),
    Format("MaxMind", "mmk_", ALNUM, 29, "dev.maxmind.com"),
    Format("Adafruit IO", "aio_", ALNUM, 28, "io.adafruit.com/api/docs"),
    Format("Alchemy", "alcht_", ALNUM, 30, "alchemy.com/docs"),
    # Payment and trade
    Format("Stripe", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", WORD, 24, "docs.stripe.com/keys"),
    Format("Stripe, Svix", "whsec_", BASE64, 24, "docs.stripe.com/webhooks"),
    Format("Square", "sq0atp- sq0csp- sq0idp-", URL, 22, "developer.squareup.com"),
    Format("Square", "EAAA", URL, 56, "developer.squareup.com"),
    Format("Razorpay", "rzp_live_ rzp_test_", ALNUM, 14, "razorpay.com/docs"),
    Format("Shopify", "shpat_ shpca_ shppa_ shpss_ shpua_", "a-fA-F0-9", 32, "shopify.dev/docs"),
    Format("Flutterwave", "FLWSECK- FLWSECK_TEST-", URL, 32, "developer.flutterwave.com"),
    Format("Plaid", "access-sandbox- access-development- access-production-", UUID, 36, "plaid.com/docs"),
    Format("Paddle", "pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_", WORD, 48, "developer.paddle.com"),
    Format("Mollie, Lob", "live_ test_", ALNUM, 30, "docs.mollie.com"),
    Format("EasyPost", "EZAK EZTK", ALNUM, 54, "docs.easypost.com"),
    Format("Shippo", "shippo_live_ shippo_test_", HEX, 40, "docs.goshippo.com"),
    Format("Duffel", "duffel_live_ duffel_test_", URL, 43, "duffel.com/docs"),
    Format("Polar", "polar_oat_ polar_pat_ polar_whs_", ALNUM, 36, "docs.polar.sh"),
    # Messages, work and support
    Format(
        "Slack",
        "xoxb- xoxp- xoxa- xoxs- xoxr- xoxo- xoxc- xoxd- xoxe-",
        r"\w%+/=\-",
        24,
        "api.slack.com/authentication",
    ),
    Format("Slack", "xoxe.xoxp- xoxe.xoxb-", URL, 40, "api.slack.com/authentication/rotation"),
    Format("Slack", "xapp- xwfp-", URL, 30, "api.slack.com/authentication"),
    Format("SendGrid", "SG.", DOTTED, 66, "docs.sendgrid.com"),
    Format("Mailgun", "key-", HEX, 32, "documentation.mailgun.com"),
    Format("Brevo", "xkeysib- xsmtpsib-", URL, 64, "developers.brevo.com"),
    Format("Resend", "re_", WORD, 24, "resend.com/docs"),
    Format("Twilio", "SK AC", HEX, 32, "twilio.com/docs/iam/api-keys"),
    Format("Twilio", "SK AC", "A-F0-9", 32, "twilio.com/docs/iam/api-keys"),
    Format("PubNub", "sec-c-", URL, 36, "pubnub.com/docs"),
    Format("Notion", "ntn_", ALNUM, 46, "developers.notion.com"),
    Format("Notion and others", "secret_", ALNUM, 43, "developers.notion.com"),
    Format("Linear", "lin_api_ lin_oauth_", ALNUM, 40, "linear.app/developers"),
    Format("Figma", "figd_ figo_ figoh_ figor_ figu_", URL, 40, "developers.figma.com"),
    Format("HubSpot", "pat-na1- pat-na2- pat-eu1- pat-ap1-", UUID, 36, "developers.hubspot.com"),
    Format("Typeform", "tfp_", URL, 40, "typeform.com/developers"),
    Format("Contentful", "CFPAT-", URL, 43, "contentful.com/developers"),
    Format("ReadMe", "rdme_", LOWER, 70, "docs.readme.com"),
    Format("Frame.io", "fio-u-", URL, 64, "developer.frame.io"),
    Format("Cal.com", "cal_live_ cal_", HEX, 32, "cal.com/docs"),
    Format("Nylas", "nyk_", WORD, 36, "developer.nylas.com"),
    Format("n8n", "n8n_api_", DOTTED, 40, "docs.n8n.io"),
    Format("Klaviyo", "pk_", HEX, 34, "developers.klaviyo.com"),
    Format("Trigger.dev", "tr_dev_ tr_prod_ tr_stg_ tr_pat_", ALNUM, 20, "trigger.dev/docs"),
    Format("Inngest", "signkey-prod- signkey-test- signkey-branch-", HEX, 32, "inngest.com/docs"),
    Format("Val Town", "vtwn_", ALNUM, 28, "docs.val.town"),
    Format("GitBook", "gb_api_", ALNUM, 40, "gitbook.com/docs"),
    Format("Facebook", "EAACEdEose0cBA", ALNUM, 60, "developers.facebook.com"),
    Format("Facebook", "EAA", ALNUM, 100, "developers.facebook.com"),
    Format("Instagram", "IGQV IGAA", URL, 100, "developers.facebook.com"),
    Format("Twitter", "AAAAAAAAAAAAAAAAAAAA", r"\w%+/\-", 60, "developer.x.com"),
    Format("Twitch", "oauth:", LOWER, 30, "dev.twitch.tv/docs"),
    Format("Dropbox", "sl.", URL, 120, "dropbox.com/developers"),
    Format("Discord", "mfa.", URL, 60, "discord.com/developers"),
    Format("Mapbox", "sk.ey tk.ey", DOTTED, 60, "docs.mapbox.com"),
    # Watching and measuring
    Format("Grafana", "glsa_", WORD, 41, "grafana.com/docs"),
    Format("Grafana", "glc_", BASE64, 60, "grafana.com/docs"),
    Format("Sentry", "sntrys_ sntryu_ sntrya_", MIXED, 60, "docs.sentry.io"),
    Format("New Relic", "NRAK- NRJS- NRII- NRAA- NRRA- NRBR- NRIQ-", URL, 19, "docs.newrelic.com"),
    Format("Dynatrace", "dt0c01. dt0s01. dt0s16.", DOTTED, 80, "docs.dynatrace.com"),
    Format("Honeycomb", "hcaik_ hcbik_ hcxik_ hcamk_", LOWER, 58, "docs.honeycomb.io"),
    Format("Axiom", "xaat- xapt-", UUID, 36, "axiom.co/docs"),
    Format("PostHog", "phc_ phx_ phs_", ALNUM, 43, "posthog.com/docs"),
    Format("LaunchDarkly", "sdk- api- mob-", UUID, 36, "docs.launchdarkly.com"),
    Format("Statsig", "secret- console-", ALNUM, 40, "docs.statsig.com"),
    Format("Postman", "PMAK- PMAT-", URL, 59, "learning.postman.com"),
    Format("Ory", "ory_at_ ory_rt_ ory_ac_ ory_pat_ ory_st_", DOTTED, 40, "ory.sh/docs"),
    Format("Stytch", "secret-live- secret-test-", URL, 40, "stytch.com/docs"),
    Format("Defined Networking", "dnkey-", URL, 60, "docs.defined.net"),
)
