package consumer

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// decodeRequest reads a request as a broker does: length 4, key 2, version 2, correlation id 4, client id 2 + n, tags
// if the version is flexible, body.
func decodeRequest(frame []byte) kmsg.Request {
	req := kmsg.RequestForKey(int16(binary.BigEndian.Uint16(frame[4:])))
	req.SetVersion(int16(binary.BigEndian.Uint16(frame[6:])))
	body := frame[14:]
	if n := int16(binary.BigEndian.Uint16(frame[12:])); n > 0 {
		body = body[n:]
	}
	if req.IsFlexible() {
		body = body[1:] // the client sends no tags
	}
	if err := req.ReadFrom(body); err != nil {
		panic(fmt.Sprintf("read %s: %v", kmsg.NameForKey(req.Key()), err))
	}
	return req
}

// failed returns the answer to a request with an error in place of the true result: in each of the entities that the
// answer is about, or for the whole answer if there are none.
func failed(req kmsg.Request, answer []byte, with *kerr.Error) []byte {
	header := 8 // length and correlation id
	resp := req.ResponseKind()
	resp.SetVersion(req.GetVersion())
	if resp.IsFlexible() {
		header++ // no tags
	}
	if err := resp.ReadFrom(answer[header:]); err != nil {
		panic(fmt.Sprintf("read answer to %s: %v", kmsg.NameForKey(req.Key()), err))
	}
	if !fail(reflect.ValueOf(resp).Elem(), with.Code) {
		panic(kmsg.NameForKey(req.Key()) + " has no error to answer")
	}
	answer = resp.AppendTo(answer[:header:header])
	binary.BigEndian.PutUint32(answer, uint32(len(answer)-4))
	return answer
}

// fail sets the innermost error codes, and says whether there are any.
func fail(v reflect.Value, code int16) (inner bool) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct {
			for k := range f.Len() {
				inner = fail(f.Index(k), code) || inner
			}
		}
	}
	own := v.FieldByName("ErrorCode")
	if inner || !own.IsValid() {
		return inner
	}
	own.SetInt(int64(code))
	return true
}
