//! The table of secrets that can be known by their own shape.
//!
//! Comes in: a text and a place where a token may begin. Goes out: how long the token is there. To add a kind, add a row.
//!
//! A rule is an anchor (a literal that the prefilter looks for) and a pattern that must hold
//! where the token begins. No pattern asks what comes *after* the token: the closing boundary is
//! what makes other rule sets blind to a secret followed by `,`, `)`, `<`, `@`, `&` or `|`.
//!
//! Two promises keep hostile input linear, and every new row must keep them: a pattern that
//! fails does so within its own minimum length, or the rule is [`Left::Clean`] so that only the
//! first anchor of an unbroken run is tried.

use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// One kind of secret.
pub(in crate::redact) struct Rule {
    /// What the marker says: `[redacted:KIND]`.
    pub(in crate::redact) kind: &'static str,
    /// Literals that must occur, compared without case by the prefilter.
    pub(in crate::redact) anchors: &'static [&'static str],
    /// Where the token begins, seen from its anchor.
    before: Before,
    /// What may stand in front of the token.
    left: Left,
    /// The shape of the token, matched from its first byte on.
    pub(in crate::redact) pattern: &'static str,
}

/// How far before its anchor a token begins.
#[derive(Clone, Copy)]
enum Before {
    /// Exactly this many bytes.
    Exactly(usize),
    /// As many digits as there are, up to this many.
    Digits(usize),
}

/// What may stand directly in front of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Anything: the prefix is telling enough.
    Any,
    /// No letter or digit: the prefix is short enough to end a common word.
    Word,
    /// No letter, digit, `_` or `-`: the token's own alphabet.
    Clean,
}

const fn sure(kind: &'static str, anchors: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { kind, anchors, before: Before::Exactly(0), left: Left::Any, pattern }
}

const fn word(kind: &'static str, anchors: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { left: Left::Word, ..sure(kind, anchors, pattern) }
}

const fn clean(kind: &'static str, anchors: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { left: Left::Clean, ..sure(kind, anchors, pattern) }
}

const fn around(kind: &'static str, anchors: &'static [&'static str], before: Before, pattern: &'static str) -> Rule {
    Rule { before, ..word(kind, anchors, pattern) }
}

/// Every kind, grouped as people meet them.
#[rustfmt::skip]
pub(in crate::redact) const RULES: &[Rule] = &[
    // Code hosting and package registries.
    sure("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[0-9A-Za-z]{36,}"),
    sure("github-token", &["github_pat_"], r"github_pat_[0-9A-Za-z_]{50,}"),
    sure("gitlab-token", &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glagent-", "gloas-", "glsoat-", "glft-", "glimt-", "glrtr-", "glffct-"],
        r"gl(?:pat|dt|rt|ptt|cbt|agent|oas|soat|ft|imt|rtr|ffct)-[0-9A-Za-z_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9,})?"),
    sure("gitlab-runner-token", &["GR1348941"], r"GR1348941[0-9A-Za-z_-]{20,}"),
    sure("bitbucket-token", &["ATBB"], r"ATBB[0-9A-Za-z]{32,}"),
    sure("atlassian-token", &["ATATT3", "ATCTT3"], r"AT[AC]TT3[0-9A-Za-z_=-]{50,}"),
    sure("npm-token", &["npm_"], r"npm_[0-9A-Za-z]{36,}"),
    sure("pypi-token", &["pypi-"], r"pypi-[0-9A-Za-z_-]{50,}"),
    sure("rubygems-token", &["rubygems_"], r"rubygems_[0-9a-f]{48}"),
    word("crates-token", &["cio"], r"cio[0-9A-Za-z]{32}"),
    word("nuget-token", &["oy2"], r"oy2[0-9a-z]{43}"),
    sure("docker-token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[0-9A-Za-z_-]{27,}"),
    word("artifactory-token", &["AKCp", "cmVmd"], r"(?:AKCp|cmVmd)[0-9A-Za-z]{59,}"),
    sure("clojars-token", &["CLOJARS_"], r"CLOJARS_[0-9a-z]{60}"),
    word("sonar-token", &["sqp_", "squ_", "sqa_"], r"sq[pua]_[0-9a-f]{40}"),
    sure("sourcegraph-token", &["sgp_"], r"sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
    sure("buildkite-token", &["bkua_"], r"bkua_[0-9a-f]{40}"),
    sure("circleci-token", &["CCIPAT_", "CCIPRJ_"], r"CCI(?:PAT|PRJ)_[0-9A-Za-z]{22}_[0-9a-f]{40}"),
    // Clouds.
    sure("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA", "A3T"], r"(?:A3T[0-9A-Z]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    sure("aws-bedrock-key", &["ABSK"], r"ABSK[0-9A-Za-z+/]{100,}={0,2}"),
    sure("google-api-key", &["AIza"], r"AIza[0-9A-Za-z_-]{35}"),
    sure("google-oauth-token", &["ya29."], r"ya29\.[0-9A-Za-z_-]{20,}"),
    word("google-refresh-token", &["1//0"], r"1//0[0-9A-Za-z_-]{30,}"),
    sure("google-client-secret", &["GOCSPX-"], r"GOCSPX-[0-9A-Za-z_-]{28}"),
    around("azure-client-secret", &["Q~"], Before::Exactly(4), r"[0-9A-Za-z_~.-]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}"),
    sure("azure-storage-key", &["AccountKey="], r"AccountKey=[0-9A-Za-z+/]{80,}={0,2}"),
    word("azure-signature", &["sig="], r"sig=(?:[0-9A-Za-z+/=]|%2[BF]|%3D){43,}"),
    around("azure-devops-token", &["AZDO"], Before::Exactly(76), r"[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}"),
    sure("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[0-9a-f]{64}"),
    word("alibaba-key", &["LTAI"], r"LTAI[0-9A-Za-z]{16,30}"),
    word("tencent-key", &["AKID"], r"AKID[0-9A-Za-z]{32,40}"),
    word("yandex-key", &["AQVN"], r"AQVN[0-9A-Za-z_-]{35,38}"),
    word("cloudflare-origin-key", &["v1.0-"], r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    sure("heroku-key", &["HRKU-"], r"HRKU-[0-9A-Za-z_-]{36,}"),
    word("fly-token", &["fo1_"], r"fo1_[0-9A-Za-z_-]{43}"),
    word("fly-token", &["fm1a_", "fm1r_", "fm2_"], r"fm(?:1[ar]|2)_[0-9A-Za-z+/]{100,}={0,3}"),
    word("netlify-token", &["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"], r"nf[pcoub]_[0-9A-Za-z]{36,}"),
    word("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], r"vc[piark]_[0-9A-Za-z]{24,}"),
    word("render-key", &["rnd_"], r"rnd_[0-9A-Za-z]{28,}"),
    word("supabase-token", &["sbp_"], r"sbp_[0-9a-f]{40}"),
    word("supabase-secret", &["sb_secret_"], r"sb_secret_[0-9A-Za-z_-]{20,}"),
    sure("planetscale-token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], r"pscale_(?:tkn|oauth|pw)_[0-9A-Za-z_.=-]{32,}"),
    sure("databricks-token", &["dapi"], r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    sure("openshift-token", &["sha256~"], r"sha256~[0-9A-Za-z_-]{43}"),
    word("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[0-9A-Za-z_-]{24,}"),
    around("terraform-token", &[".atlasv1."], Before::Exactly(14), r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,}"),
    word("pulumi-token", &["pul-"], r"pul-[0-9a-f]{40}"),
    word("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[0-9A-Za-z]{40,}"),
    word("tailscale-key", &["tskey-"], r"tskey-[a-z]{2,12}-[0-9A-Za-z]{6,24}-[0-9A-Za-z]{20,}"),
    // Models and their tools.
    word("anthropic-key", &["sk-ant-"], r"sk-ant-[a-z0-9]{3,12}-[0-9A-Za-z_-]{20,}"),
    word("openrouter-key", &["sk-or-"], r"sk-or-(?:v1-)?[0-9a-f]{32,}"),
    word("openai-key", &["sk-"], r"sk-(?:proj|svcacct|admin|None)-[0-9A-Za-z_-]{20,}"),
    word("openai-key", &["sk-"], r"sk-[0-9A-Za-z]{32,}"),
    word("langfuse-key", &["sk-lf-"], r"sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    word("huggingface-token", &["hf_"], r"hf_[0-9A-Za-z]{30,}"),
    word("huggingface-token", &["api_org_"], r"api_org_[0-9A-Za-z]{34}"),
    word("perplexity-key", &["pplx-"], r"pplx-[0-9A-Za-z]{40,}"),
    word("mem0-key", &["m0-", "mem0_"], r"(?:m0-|mem0_)[0-9A-Za-z]{30,}"),
    word("replicate-token", &["r8_"], r"r8_[0-9A-Za-z]{37}"),
    word("groq-key", &["gsk_"], r"gsk_[0-9A-Za-z]{40,}"),
    word("xai-key", &["xai-"], r"xai-[0-9A-Za-z]{60,}"),
    word("langsmith-key", &["lsv2_"], r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    word("nvidia-key", &["nvapi-"], r"nvapi-[0-9A-Za-z_-]{60,}"),
    word("tavily-key", &["tvly-"], r"tvly-(?:dev-|prod-)?[0-9A-Za-z]{24,}"),
    clean("fireworks-key", &["fw_"], r"fw_[0-9A-Za-z]{22,}"),
    word("firecrawl-key", &["fc-"], r"fc-[0-9a-f]{32}"),
    word("cerebras-key", &["csk-"], r"csk-[0-9a-z]{40,}"),
    word("elevenlabs-key", &["sk_"], r"sk_[0-9a-f]{48}"),
    word("pinecone-key", &["pcsk_"], r"pcsk_[0-9A-Za-z_]{50,}"),
    word("e2b-key", &["e2b_"], r"e2b_[0-9a-f]{40}"),
    word("jina-key", &["jina_"], r"jina_[0-9A-Za-z_-]{50,}"),
    // Chat and mail.
    sure("slack-token", &["xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xoxo-", "xoxc-", "xoxd-"],
        r"xox[abcdeoprs]-(?:[0-9A-Za-z+/=-]|%2[BF]|%3D){16,}"),
    sure("slack-token", &["xoxe."], r"xoxe\.xox[bp]-[0-9A-Za-z-]{20,}"),
    sure("slack-token", &["xapp-"], r"xapp-[0-9]-[0-9A-Za-z-]{20,}"),
    sure("slack-webhook", &["hooks.slack.com/"], r"hooks\.slack\.com/(?:services|workflows|triggers)/[0-9A-Za-z+/_-]{20,}"),
    sure("discord-webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/[0-9]{15,20}/[0-9A-Za-z_-]{50,}"),
    // No literal to look for: tried where a long run of token characters begins.
    clean("discord-token", &[], r"[MNO][0-9A-Za-z_-]{23,25}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,}"),
    sure("teams-webhook", &[".webhook.office.com/"], r"\.webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9A-Za-z/_-]{32,}"),
    // Left open: in the web address of a bot the letters `bot` stand directly in front.
    Rule { left: Left::Any, ..around("telegram-token", &[], Before::Digits(16), r"[0-9]{5,16}:A[0-9A-Za-z_-]{34,}") },
    clean("twilio-key", &[], r"SK[0-9a-f]{32}"),
    word("sendgrid-key", &["SG."], r"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}"),
    word("mailgun-key", &["key-"], r"key-[0-9a-f]{32}"),
    around("mailchimp-key", &["-us"], Before::Exactly(32), r"[0-9a-f]{32}-us[0-9]{1,2}"),
    sure("brevo-key", &["xkeysib-"], r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}"),
    word("resend-key", &["re_"], r"re_[0-9A-Za-z]{8}_[0-9A-Za-z]{20,}"),
    // Payments and shops.
    word("stripe-key", &["sk_", "rk_"], r"[sr]k_(?:test|live|prod)_[0-9A-Za-z]{16,}"),
    word("stripe-webhook-secret", &["whsec_"], r"whsec_[0-9A-Za-z+/]{24,}={0,2}"),
    sure("square-secret", &["sq0atp-", "sq0csp-"], r"sq0(?:atp|csp)-[0-9A-Za-z_-]{22,43}"),
    clean("square-token", &["EAAA"], r"EAAA[0-9A-Za-z_-]{60}"),
    sure("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    sure("plaid-token", &["access-sandbox-", "access-development-", "access-production-"],
        r"access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    sure("braintree-token", &["access_token$"], r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    word("razorpay-key", &["rzp_"], r"rzp_(?:live|test)_[0-9A-Za-z]{14,}"),
    sure("flutterwave-key", &["FLWSECK"], r"FLWSECK(?:_TEST)?-[0-9A-Za-z]{12,}"),
    word("easypost-key", &["EZAK", "EZTK"], r"EZ[AT]K[0-9A-Za-z]{54}"),
    word("shippo-token", &["shippo_"], r"shippo_(?:live|test)_[0-9a-f]{40}"),
    word("duffel-token", &["duffel_"], r"duffel_(?:test|live)_[0-9A-Za-z_-]{43}"),
    clean("facebook-token", &["EAA"], r"EAA[0-9A-Za-z]{90,}"),
    // Operations and offices.
    word("grafana-token", &["glc_", "glsa_"], r"gl(?:c|sa)_[0-9A-Za-z+/_=-]{32,}"),
    word("grafana-key", &["eyJrIjoi"], r"eyJrIjoi[0-9A-Za-z+/]{60,}={0,2}"),
    word("newrelic-key", &["NRAK-", "NRII-", "NRJS-", "NRAL-", "NRRA-"], r"NR(?:AK|II|JS|AL|RA)-[0-9A-Za-z_-]{19,}"),
    sure("sentry-token", &["sntrys_", "sntryu_"], r"sntry[su]_[0-9A-Za-z+/=_-]{40,}"),
    word("linear-key", &["lin_api_", "lin_oauth_"], r"lin_(?:api|oauth)_[0-9A-Za-z]{32,}"),
    word("notion-token", &["ntn_"], r"ntn_[0-9A-Za-z]{40,}"),
    word("notion-token", &["secret_"], r"secret_[0-9A-Za-z]{43}"),
    word("postman-key", &["PMAK-"], r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    word("airtable-token", &[], r"pat[0-9A-Za-z]{14}\.[0-9a-f]{64}"),
    word("hubspot-token", &["pat-na", "pat-eu"], r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    word("figma-token", &["figd_"], r"figd_[0-9A-Za-z_-]{40,}"),
    word("dynatrace-token", &["dt0"], r"dt0[a-z][0-9]{2}\.[0-9A-Z]{24}\.[0-9A-Z]{64}"),
    word("contentful-token", &["CFPAT-"], r"CFPAT-[0-9A-Za-z_-]{43}"),
    word("typeform-token", &["tfp_"], r"tfp_[0-9A-Za-z_-]{40,}"),
    word("readme-key", &["rdme_"], r"rdme_[0-9a-z]{70}"),
    word("prefect-key", &["pnu_"], r"pnu_[0-9a-z]{36}"),
    word("posthog-key", &["phx_", "phc_"], r"ph[xc]_[0-9A-Za-z]{40,}"),
    word("mapbox-token", &["sk.eyJ"], r"sk\.eyJ[0-9A-Za-z_-]{40,300}\.[0-9A-Za-z_-]{20,}"),
    around("maxmind-key", &["_mmk"], Before::Exactly(36), r"[0-9A-Za-z]{6}_[0-9A-Za-z]{29}_mmk"),
    sure("onepassword-token", &["ops_eyJ"], r"ops_eyJ[0-9A-Za-z+/_-]{100,}={0,2}"),
    word("onepassword-key", &["A3-"], r"A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})-[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}"),
    sure("age-key", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    clean("jwt", &["eyJ"], r"eyJ[0-9A-Za-z_-]{14,}\.ey[0-9A-Za-z_-]{15,}(?:\.[0-9A-Za-z_-]*)?"),
];

// One slot per rule, filled when its anchor is first seen: a hook that reads one clean snippet
// compiles nothing.
static COMPILED: [OnceLock<Option<Regex>>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];

fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&format!("^(?:{pattern})")).unicode(false).build().ok()
}

/// Length of the token of rule number `index` at the very beginning of `text`.
pub(super) fn token_len(index: usize, text: &[u8]) -> Option<usize> {
    let regex = COMPILED[index].get_or_init(|| compile(RULES[index].pattern));
    regex.as_ref()?.find(text).map(|found| found.end())
}

impl Rule {
    /// How many bytes of the token may stand before its anchor, if any do.
    pub(super) fn lead(&self) -> Option<usize> {
        match self.before {
            Before::Exactly(0) => None,
            Before::Exactly(count) | Before::Digits(count) => Some(count),
        }
    }

    /// Where the token would begin whose anchor stands at `anchor`, if its left side allows it.
    pub(super) fn start(&self, text: &[u8], anchor: usize) -> Option<usize> {
        let start = match self.before {
            Before::Exactly(count) => anchor.checked_sub(count)?,
            Before::Digits(most) => {
                let digits = text[..anchor].iter().rev().take(most);
                anchor - digits.take_while(|b| b.is_ascii_digit()).count()
            }
        };
        let before = start.checked_sub(1).map(|at| text[at]);
        let free = match (self.left, before) {
            (Left::Any, _) | (_, None) => true,
            (Left::Word, Some(b)) => !b.is_ascii_alphanumeric(),
            (Left::Clean, Some(b)) => !b.is_ascii_alphanumeric() && b != b'_' && b != b'-',
        };
        free.then_some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_compiles() {
        for rule in RULES {
            assert!(compile(rule.pattern).is_some(), "{}", rule.kind);
        }
    }

    #[test]
    fn there_are_at_least_sixty_kinds() {
        let all: BTreeSet<_> = RULES.iter().map(|rule| rule.kind).collect();
        assert!(all.len() >= 60, "{}", all.len());
    }

    #[test]
    fn no_pattern_asks_what_follows_the_token() {
        for rule in RULES {
            assert!(!rule.pattern.ends_with('$') && !rule.pattern.ends_with(r"\b"), "{}", rule.kind);
        }
    }
}
