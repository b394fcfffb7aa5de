use std::time::Instant;
use uptake_core::*;
fn main(){
 let t=Instant::now(); let s=normal::error::signature(&session::Excerpt::new("tool7: error: unrecognized arguments: --format json")); println!("sig {:?} {:?}",t.elapsed(),s);
 let t=Instant::now(); let r=redact::redact("Instead of `tool7 report --format json` run `tool7 report --output json`").into_owned(); println!("redact {:?} {r}",t.elapsed());
 let t=Instant::now(); let r=redact::redact("Instead of `tool7 report --format json` run `tool7 report --output json`").into_owned(); println!("redact2 {:?} {r}",t.elapsed());
 let t=Instant::now(); let r=redact::visible("Instead of `tool7 report").into_owned(); println!("visible {:?} {r}",t.elapsed());
}
