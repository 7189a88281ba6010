package s3

import (
	"net/url"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// Params are the settings of a store in a bucket, and open it. Credentials are no settings: they are found as other
// clients of S3 find them.
type Params struct {
	Bucket   string `key:"bucket" doc:"the bucket; it must exist. Credentials are found as other clients of S3 find them (AWS_ACCESS_KEY_ID and so on)" example:"unecho-snapshots"`
	Prefix   string `key:"prefix" doc:"what the names of all objects begin with" example:"production"`
	Endpoint string `key:"endpoint" doc:"the address of a store that is not AWS" example:"https://minio.example.org:9000"`
	Region   string `key:"region" doc:"its region; empty: the store is asked" example:"eu-central-1" advanced:"true"`
	CAFile   string `key:"ca_file" doc:"PEM file of the authorities that are trusted, in place of the system's" example:"/etc/unecho/s3-ca.pem" advanced:"true"`
	KMSKey   string `key:"kms_key" doc:"key of KMS that objects are encrypted with; empty: as the bucket says" example:"alias/unecho" advanced:"true"`
}

var (
	_ snapshot.Opener = Params{}
	_ snapshot.Prober = Params{}
)

// DefaultParams returns the defaults. The bucket must still be set.
func DefaultParams() Params { return Params{} }

// Validate implements snapshot.Opener.
func (p Params) Validate() []setting.Mistake {
	var mistakes []setting.Mistake
	if strings.ContainsAny(p.Bucket, "/:") {
		mistakes = append(mistakes, setting.Wrong("bucket", p.Bucket, "is not the name of a bucket",
			"write the name alone, such as unecho-snapshots; what stands behind it is prefix, and another store than AWS is endpoint"))
	}
	if slices.ContainsFunc(strings.Split(strings.Trim(p.Prefix, "/"), "/"), func(part string) bool { return part == "." || part == ".." }) {
		mistakes = append(mistakes, setting.Wrong("prefix", p.Prefix, "has a part . or ..", "write a name, such as production/unecho"))
	}
	if u, err := url.Parse(p.Endpoint); p.Endpoint != "" &&
		(err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil) {
		mistakes = append(mistakes, setting.Mistake{
			Key: "endpoint", Problem: "is not the address of a store",
			Remedy: "write scheme, host and port alone, such as https://minio.example.org:9000",
		})
	}
	return mistakes
}

// UsedBy implements snapshot.Opener: all members see a bucket.
func (Params) UsedBy() snapshot.Use { return snapshot.ByAll }
